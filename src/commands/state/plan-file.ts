import { createHash, randomUUID } from 'node:crypto';
import { dirname, join, relative, resolve } from 'node:path';
import type { Context } from '../../contract/command.ts';
import { isObject } from '../../contract/values/json.ts';
import { CliError } from '../../errors/cli-error.ts';
import { maxFileBytes } from '../../files/named-file.ts';
import { readReplaceableFile, replaceFile } from '../../files/replace-file.ts';
import type { SectionName } from '../../state/entry.ts';
import { type Difference, faultText, requestedText } from './compare.ts';
import type { ComparedStack } from './read.ts';
import { isWrite } from './rows.ts';
import type { FileInput, OpenFile } from './stack-file.ts';

/** A saved plan. It holds no values, only salted hashes, which show whether a value is still as planned. */
interface SavedPlan {
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

export interface PlanInput extends FileInput {
  readonly take?: 'file' | 'service';
}

/** Writes the changes of a plan to a file, for `apply`. Throws `usage` if the file exists and is no plan. */
export async function savePlan(
  context: Context,
  path: string,
  { openFile, compared, input }: { openFile: OpenFile; compared: readonly ComparedStack[]; input: PlanInput },
): Promise<void> {
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
      differences.filter(isWrite).map((one) => savedItem(salt, stack.name, one)),
    ),
  };
  replaceFile(path, `${planHeader}\n${JSON.stringify(savedPlan, null, 1)}\n`, { before: oldBytes });
}

function savedItem(salt: string, stack: string, difference: Difference): SavedItem {
  const { path, action, item } = difference;
  const before = saltedDigest(salt, item ? (item.value ?? '') : null);
  const guard = { changed_at: item?.changed_at ?? null, before, after: saltedDigest(salt, wantedText(difference)) };
  return { stack, path, action, guard };
}

function wantedText(difference: Difference): string | null {
  return difference.entry.expression.kind === 'absent' ? null : requestedText(difference);
}

function saltedDigest(salt: string, value: string | null): string {
  return createHash('sha256')
    .update(JSON.stringify([salt, value]))
    .digest('base64url');
}

function serviceOf({ host }: Context): Pick<SavedPlan, 'address' | 'account'> {
  return { address: host.baseUrl(), account: host.settings.get('account').value ?? null };
}

export function isPlanText(text: string): boolean {
  return text.startsWith('stackops-plan ');
}

/** Reads a saved plan. Throws `usage` for a plan of another address, account or version, or of a changed stack file. */
export async function readSavedPlan(
  context: Context,
  path: string,
  text: string,
): Promise<SavedPlan & { input: PlanInput }> {
  const saved = parsePlan(path, text);
  const { address, account } = serviceOf(context);
  const planError = (why: string) => new CliError('usage', `${path}: ${why}`, { nothing: 'sent' });
  if (saved.address !== address || saved.account !== account) throw planError(`it is a plan for ${saved.address}`);
  const file = join(dirname(path), saved.file);
  const digest = saltedDigest('', await context.readText(file, maxFileBytes));
  if (digest !== saved.digest) throw planError(`${file} has changed since`);
  const { take, only, ignore } = saved;
  return { ...saved, input: { file, ignore, ...(take && { take }), ...(only && { only }) } };
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
  const isItem = (item: unknown) =>
    hasTextFields(item, ['stack', 'path', 'action']) && hasTextFields(item['guard'], ['before', 'after']);
  return isObject(stacks) && [ignore, only ?? []].every(Array.isArray) && Array.isArray(items) && items.every(isItem);
}

function hasTextFields(value: unknown, names: readonly string[]): value is Readonly<Record<string, unknown>> {
  return isObject(value) && names.every((name) => typeof value[name] === 'string');
}

/** Throws `rejected` for a plan older than `maxAge` seconds. */
export function refuseOldPlan(
  { now }: Context,
  path: string,
  { made_at }: Pick<SavedPlan, 'made_at'>,
  maxAge: number,
): void {
  const ageSeconds = (now().getTime() - Date.parse(made_at)) / 1000;
  if (ageSeconds <= maxAge) return;
  throw new CliError('rejected', `${path} was made ${made_at}, too long ago`, {
    nothing: 'sent',
    hint: 'make it again with plan --out, or allow its age with --max-age',
  });
}

/**
 * Returns the planned differences that are not applied yet. Throws `usage` if a name now means another stack, and
 * `rejected` if an item is no longer as planned.
 */
export function remainingDifferences(saved: SavedPlan, compared: readonly ComparedStack[]): readonly ComparedStack[] {
  const refusals: string[] = [];
  const remainingStacks = compared.map((one) => {
    const { name, uid } = one.stack;
    if (saved.stacks[name] !== uid) throw new CliError('usage', `${name} is another stack now`, { nothing: 'sent' });
    const differencesByPath = new Map(one.differences.map((difference) => [difference.path, difference]));
    const differences = saved.items
      .filter(({ stack }) => stack === name)
      .flatMap((item): readonly Difference[] => {
        const difference = differencesByPath.get(item.path);
        const state = difference ? savedItemState(saved.salt, item, difference) : 'gone';
        if (difference && state === 'planned') return [difference];
        if (difference && state === 'done') return [{ ...difference, action: 'unchanged', why: null, reason: null }];
        refusals.push(
          difference ? faultText({ ...difference.entry, path: item.path }, state) : `${item.path}: ${state}`,
        );
        return [];
      });
    return { ...one, differences, faults: [] };
  });
  if (refusals.length > 0) {
    throw new CliError('rejected', 'the plan is stale', { nothing: 'sent', lines: refusals });
  }
  return remainingStacks;
}

function savedItemState(salt: string, { guard }: SavedItem, difference: Difference): string {
  const { item } = difference;
  const currentHash = saltedDigest(salt, item ? (item.value ?? '') : null);
  if (currentHash === guard.after) return 'done';
  if (currentHash !== guard.before) return 'changed meanwhile';
  if (saltedDigest(salt, wantedText(difference)) !== guard.after) return 'its reference has another value';
  return isWrite(difference) || difference.action === 'busy' ? 'planned' : (difference.reason ?? 'not planned');
}
