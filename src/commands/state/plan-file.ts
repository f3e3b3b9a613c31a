import { hash, randomUUID } from 'node:crypto';
import { dirname, join, relative, resolve } from 'node:path';
import type { Context } from '../../contract/command.ts';
import { isObject } from '../../contract/values/json.ts';
import { CliError } from '../../errors/cli-error.ts';
import { maxFileBytes } from '../../files/named-file.ts';
import { readReplaceableFile, replaceFile } from '../../files/replace-file.ts';
import type { SectionName } from '../../state/entry.ts';
import { type Difference, faultText, isWrite, requestedText } from './compare.ts';
import type { ComparedStack } from './compare-file.ts';
import { refuseUnready } from './refusals.ts';
import type { StatePlan } from './rows.ts';
import type { FileInput, OpenFile } from './stack-file.ts';

/** A saved plan. It holds no values, only salted hashes, which show whether a value is still as planned. */
export interface SavedPlan {
  readonly address: string;
  readonly account: string | null;
  readonly stacks: Readonly<Record<string, string>>;
  /** The path of the stack file, relative to the plan file. */
  readonly file: string;
  readonly digest: string;
  readonly made_at: string;
  /** The side that wins a conflict, as `--take` was given; null without the flag. */
  readonly take: 'file' | 'service' | null;
  readonly only: readonly SectionName[] | null;
  readonly ignore: readonly string[];
  readonly salt: string;
  readonly items: readonly SavedItem[];
}

interface SavedItem {
  readonly stack: string;
  readonly path: string;
  readonly action: string;
  readonly guard: { readonly changed_at: string | null; readonly before: string; readonly after: string };
}

const planHeader = 'stackops-plan 1';

interface FileComparison {
  readonly openFile: OpenFile;
  readonly compared: readonly ComparedStack[];
  readonly input: FileInput;
  readonly plan: StatePlan;
}

/** Writes a plan. Throws what `apply` throws for refused changes, and `usage` if the file exists and is no plan. */
export async function savePlan(context: Context, path: string, comparison: FileComparison): Promise<void> {
  const { openFile, compared, input, plan } = comparison;
  refuseUnready(compared, { allowsDrift: input.take !== undefined, plan });
  const oldBytes = readReplaceableFile(path);
  if (oldBytes && !isPlanText(Buffer.from(oldBytes).toString('latin1'))) {
    throw new CliError('usage', `${path} exists, and is no plan`);
  }
  const salt = randomUUID();
  const savedPlan: SavedPlan = {
    ...serviceOf(context),
    stacks: Object.fromEntries(openFile.stacks.map(({ name, uid }) => [name, uid])),
    file: relative(dirname(resolve(path)), resolve(openFile.file)),
    digest: saltedDigest('', await context.readText(openFile.file, maxFileBytes)),
    made_at: context.now().toISOString(),
    take: input.take ?? null,
    only: input.only ?? null,
    ignore: input.ignore ?? [],
    salt,
    items: compared.flatMap(({ stack, differences }) =>
      differences.filter(isWrite).map((one): SavedItem => {
        return { stack: stack.name, path: one.path, action: one.action, guard: guardOf(salt, one) };
      }),
    ),
  };
  replaceFile(path, `${planHeader}\n${JSON.stringify(savedPlan, null, 1)}\n`, { before: oldBytes });
  context.note(`plan saved to ${path}`);
}

function guardOf(salt: string, difference: Difference): SavedItem['guard'] {
  const { item } = difference;
  const before = saltedDigest(salt, item ? (item.value ?? '') : null);
  return { changed_at: item?.changed_at ?? null, before, after: saltedDigest(salt, requestedText(difference)) };
}

function saltedDigest(salt: string, value: string | null): string {
  return hash('sha256', JSON.stringify([salt, value]), 'base64url');
}

function serviceOf({ host }: Context): Pick<SavedPlan, 'address' | 'account'> {
  return { address: host.baseUrl(), account: host.settings.get('account').value ?? null };
}

export function isPlanText(text: string): boolean {
  return text.startsWith('stackops-plan ');
}

/**
 * Returns a plan and its input. Throws `usage` for another address, account, version or changed stack file, `rejected`
 * if older than `maxAge` s.
 */
export async function readSavedPlan(context: Context, path: string, text: string, maxAge: number) {
  const savedPlan = parsePlan(path, text);
  const { address, account } = serviceOf(context);
  const makePlanError = (why: string) => new CliError('usage', `${path}: ${why}`, { nothing: 'sent' });
  if (savedPlan.address !== address || savedPlan.account !== account)
    throw makePlanError(`it is a plan for ${savedPlan.address}`);
  const stackFilePath = join(dirname(path), savedPlan.file);
  const digest = saltedDigest('', await context.readText(stackFilePath, maxFileBytes));
  if (digest !== savedPlan.digest) throw makePlanError(`${stackFilePath} has changed since`);
  const { made_at, take, only, ignore } = savedPlan;
  const isRecent = context.now().getTime() - Date.parse(made_at) <= maxAge * 1000;
  if (!isRecent) {
    const hint = 'make it again with plan --out, or allow its age with --max-age';
    throw new CliError('rejected', `${path} was made ${made_at}, too long ago`, { nothing: 'sent', hint });
  }
  return { savedPlan, file: stackFilePath, ignore, ...(take && { take }), ...(only && { only }) };
}

function parsePlan(path: string, text: string): SavedPlan {
  const [firstLine, ...rest] = text.split('\n');
  const unusableError = new CliError('usage', `${path} is no plan of this version of stackops`, { nothing: 'sent' });
  if (firstLine !== planHeader) throw unusableError;
  try {
    const value: unknown = JSON.parse(rest.join('\n'));
    if (isSavedPlan(value)) return value;
  } catch {
    // An unreadable plan gets the same error as one of another version.
  }
  throw unusableError;
}

function isSavedPlan(value: unknown): value is SavedPlan {
  if (!hasTextFields(value, ['address', 'file', 'digest', 'made_at', 'salt'])) return false;
  const { stacks, items, ignore, only } = value;
  const isSavedItem = (item: unknown) =>
    hasTextFields(item, ['stack', 'path', 'action']) && hasTextFields(item['guard'], ['before', 'after']);
  const hasLists = [ignore, only ?? []].every(Array.isArray) && Array.isArray(items) && items.every(isSavedItem);
  return hasLists && isObject(stacks);
}

function hasTextFields(value: unknown, names: readonly string[]): value is Readonly<Record<string, unknown>> {
  return isObject(value) && names.every((name) => typeof value[name] === 'string');
}

/** Returns what is not yet applied. Throws `usage` if a name means another stack, `rejected` if an item has changed. */
export function withRemainingDifferences(plan: SavedPlan, stacks: readonly ComparedStack[]): readonly ComparedStack[] {
  const refusals: string[] = [];
  const remainingStacks = stacks.map((one) => {
    const { name, uid } = one.stack;
    if (plan.stacks[name] !== uid) throw new CliError('usage', `${name} is another stack now`, { nothing: 'sent' });
    const savedItems = plan.items.filter(({ stack }) => stack === name);
    const differences = savedItems.flatMap(({ path, guard }): readonly Difference[] => {
      const difference = one.differences.find((other) => other.path === path);
      const remaining = difference ? remainingDifference(plan.salt, guard, difference) : 'gone';
      if (typeof remaining !== 'string') return [remaining];
      refusals.push(difference ? faultText({ ...difference.entry, path }, remaining) : `${path}: ${remaining}`);
      return [];
    });
    return { ...one, differences, faults: [] };
  });
  if (refusals.length === 0) return remainingStacks;
  throw new CliError('rejected', 'the plan is stale', { nothing: 'sent', lines: refusals });
}

/** Returns the difference as it is still to be applied, or why the saved plan does not fit it any more. */
function remainingDifference(salt: string, guard: SavedItem['guard'], difference: Difference): Difference | string {
  const { before, after } = guardOf(salt, difference);
  if (before === guard.after) return { ...difference, action: 'unchanged', why: null, reason: null };
  if (before !== guard.before) return 'changed meanwhile';
  if (after !== guard.after) return 'its reference has another value';
  return isWrite(difference) || difference.action === 'busy' ? difference : (difference.reason ?? 'not planned');
}
