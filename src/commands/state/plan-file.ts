import { createHash, randomUUID } from 'node:crypto';
import { dirname, join, relative, resolve } from 'node:path';
import type { Context } from '../../contract/command.ts';
import { isObject } from '../../contract/values/json.ts';
import { CliError } from '../../errors/cli-error.ts';
import { largestFileBytes } from '../../files/named-file.ts';
import { readReplaceable, replaceFile } from '../../files/replace-file.ts';
import type { SectionName } from '../../state/entry.ts';
import { type Difference, faultOf, requestedText } from './compare.ts';
import type { ComparedStack } from './read.ts';
import { isWrite } from './rows.ts';
import type { FileInput, OpenFile } from './stack-file.ts';

/** A saved plan. It holds no value: salted hashes tell whether a value is still as it was planned. */
interface SavedPlan {
  readonly address: string;
  readonly account: string | null;
  readonly stacks: Readonly<Record<string, string>>;
  /** The path of the stack file, relative to the plan file. */
  readonly file: string;
  readonly digest: string;
  readonly made_at: string;
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

const header = 'stackops-plan 1';

export interface PlanInput extends FileInput {
  readonly take?: 'file' | 'service';
}

/** Writes the changes of a plan, for `apply`. Throws usage for a file that is no plan. */
export async function savePlan(
  context: Context,
  path: string,
  { opened, compared, input }: { opened: OpenFile; compared: readonly ComparedStack[]; input: PlanInput },
): Promise<void> {
  const before = readReplaceable(path);
  if (before && !isPlanText(Buffer.from(before).toString('latin1'))) {
    throw new CliError('usage', `${path} exists, and is no plan`);
  }
  const salt = randomUUID();
  const saved: SavedPlan = {
    ...servicePlace(context),
    stacks: Object.fromEntries(opened.stacks.map(({ name, uid }) => [name, uid])),
    file: relative(dirname(resolve(path)), resolve(opened.file)),
    digest: digestOf('', await context.readText(opened.file, largestFileBytes)),
    made_at: context.now().toISOString(),
    take: input.take ?? null,
    only: input.only ?? null,
    ignore: input.ignore ?? [],
    salt,
    items: compared.flatMap(({ stack, differences }) =>
      differences.filter(isWrite).map((one) => savedItem(salt, stack.name, one)),
    ),
  };
  replaceFile(path, `${header}\n${JSON.stringify(saved, null, 1)}\n`, { before });
}

function savedItem(salt: string, stack: string, difference: Difference): SavedItem {
  const { path, action, item } = difference;
  const before = digestOf(salt, item ? (item.value ?? '') : null);
  const guard = { changed_at: item?.changed_at ?? null, before, after: digestOf(salt, wantedText(difference)) };
  return { stack, path, action, guard };
}

function wantedText(difference: Difference): string | null {
  return difference.entry.expression.kind === 'absent' ? null : requestedText(difference);
}

function digestOf(salt: string, value: string | null): string {
  return createHash('sha256')
    .update(JSON.stringify([salt, value]))
    .digest('base64url');
}

function servicePlace({ host }: Context): Pick<SavedPlan, 'address' | 'account'> {
  return { address: host.baseUrl(), account: host.settings.get('account').value ?? null };
}

export function isPlanText(text: string): boolean {
  return text.startsWith('stackops-plan ');
}

/** Reads a saved plan. Throws usage if it has another address, account or version, or if its file has changed since. */
export async function readPlan(
  context: Context,
  path: string,
  text: string,
): Promise<SavedPlan & { input: PlanInput }> {
  const saved = parsePlan(path, text);
  const { address, account } = servicePlace(context);
  const refuse = (why: string) => new CliError('usage', `${path}: ${why}`, { nothing: 'sent' });
  if (saved.address !== address || saved.account !== account) throw refuse(`it is a plan for ${saved.address}`);
  const file = join(dirname(path), saved.file);
  const digest = digestOf('', await context.readText(file, largestFileBytes));
  if (digest !== saved.digest) throw refuse(`${file} has changed since`);
  const { take, only, ignore } = saved;
  return { ...saved, input: { file, ignore, ...(take && { take }), ...(only && { only }) } };
}

function parsePlan(path: string, text: string): SavedPlan {
  const [first, ...rest] = text.split('\n');
  const unusable = new CliError('usage', `${path} is no plan of this version of stackops`, { nothing: 'sent' });
  if (first !== header) throw unusable;
  try {
    const found: unknown = JSON.parse(rest.join('\n'));
    if (isSavedPlan(found)) return found;
  } catch {
    // An unreadable plan gets the same error as one of another version.
  }
  throw unusable;
}

function isSavedPlan(found: unknown): found is SavedPlan {
  if (!hasTexts(found, ['address', 'file', 'digest', 'made_at', 'salt'])) return false;
  const { stacks, items, ignore, only } = found;
  const isItem = (item: unknown) =>
    hasTexts(item, ['stack', 'path', 'action']) && hasTexts(item['guard'], ['before', 'after']);
  return isObject(stacks) && [ignore, only ?? []].every(Array.isArray) && Array.isArray(items) && items.every(isItem);
}

function hasTexts(value: unknown, names: readonly string[]): value is Readonly<Record<string, unknown>> {
  return isObject(value) && names.every((name) => typeof value[name] === 'string');
}

/** Throws rejected for a plan older than `maxAge` seconds. */
export function refuseOld(
  { now }: Context,
  path: string,
  { made_at }: Pick<SavedPlan, 'made_at'>,
  maxAge: number,
): void {
  const age = (now().getTime() - Date.parse(made_at)) / 1000;
  if (age <= maxAge) return;
  throw new CliError('rejected', `${path} was made ${made_at}, too long ago`, {
    nothing: 'sent',
    hint: 'make it again with plan --out, or allow its age with --max-age',
  });
}

/**
 * The remaining differences of a saved plan. Throws usage for another stack of that name, rejected for a changed value.
 */
export function remainingDifferences(saved: SavedPlan, compared: readonly ComparedStack[]): readonly ComparedStack[] {
  const refused: string[] = [];
  const found = compared.map((one) => {
    const { name, uid } = one.stack;
    if (saved.stacks[name] !== uid) throw new CliError('usage', `${name} is another stack now`, { nothing: 'sent' });
    const byPath = new Map(one.differences.map((difference) => [difference.path, difference]));
    const differences = saved.items
      .filter(({ stack }) => stack === name)
      .flatMap((item): readonly Difference[] => {
        const difference = byPath.get(item.path);
        const state = difference ? guardState(saved.salt, item, difference) : 'gone';
        if (difference && state === 'planned') return [difference];
        if (difference && state === 'done') return [{ ...difference, action: 'unchanged', why: null, reason: null }];
        refused.push(difference ? faultOf({ ...difference.entry, path: item.path }, state) : `${item.path}: ${state}`);
        return [];
      });
    return { ...one, differences, faults: [] };
  });
  if (refused.length > 0) {
    throw new CliError('rejected', 'the plan is stale', { nothing: 'sent', lines: refused });
  }
  return found;
}

function guardState(salt: string, { guard }: SavedItem, difference: Difference): string {
  const { item } = difference;
  const now = digestOf(salt, item ? (item.value ?? '') : null);
  if (now === guard.after) return 'done';
  if (now !== guard.before) return 'changed meanwhile';
  if (digestOf(salt, wantedText(difference)) !== guard.after) return 'its reference has another value';
  return isWrite(difference) || difference.action === 'busy' ? 'planned' : (difference.reason ?? 'not planned');
}
