import { customCommand } from '../../builders/custom-command.ts';
import { readAll } from '../../builders/resource/find.ts';
import type { Context } from '../../contract/command.ts';
import { flag, nullable, oneOf, optional, secret, text, type Values } from '../../contract/field.ts';
import type { CommandHost } from '../../contract/host.ts';
import { stackParam } from '../../contract/params.ts';
import { type RecordOf, type RecordType, record } from '../../contract/record.ts';
import { rows } from '../../contract/reply.ts';
import { maskMembers } from '../../contract/values/text.ts';
import { CliError, rethrowAs } from '../../errors/cli-error.ts';
import { maxFileBytes } from '../../files/named-file.ts';
import { deployments } from '../../resources/deployment.ts';
import { environments, isSecretVariable, type Variable, variable } from '../../resources/env.ts';
import { findStack } from '../../targets/stack.ts';
import { formatFlag, readVariablesFile } from './import.ts';
import { readChangedSince, valueAt } from './value-at.ts';
import { isPlaceholder, ownerOf, textOrNullWord, valueOrNull, warnOfOmitted } from './variable.ts';

const VariableDifference = record(
  'difference',
  {
    key: text('Name of the variable.'),
    change: oneOf(['added', 'changed', 'removed'], 'Added and removed as seen from the stack.'),
    left: optional(nullable(secret(text('Value in the stack, or earlier.')))),
    right: optional(nullable(secret(text('Value it is compared with.')))),
  },
  ['key', 'change', 'left', 'right'],
  // `differenceBetween` masks the secrets, because a row does not tell which values are secret.
  { isSecret: () => false },
);
type VariableDifference = RecordOf<typeof VariableDifference>;

const params = {
  stack_id: stackParam,
  file: optional(text('File to compare with, - for stdin.', { nameKind: 'file' })),
  with_stack: optional(text('Stack to compare with.', { nameKind: 'stack', placeholder: 'stack' })),
  since_deployment: optional(
    text('Show changes since it began: an ID, by default `live`.', {
      placeholder: 'id',
      nameKind: 'deployment',
      keywords: ['live'],
      implicitValue: 'live',
    }),
  ),
  format: formatFlag,
  all: optional(flag('With a file: list what only the stack has, too.')),
  keys_only: optional(flag('Leave the values out.')),
  exit_code: optional(flag('Exit with 10 if a row is listed.')),
};
type DiffInput = Values<typeof params>;

/** `env diff`: compares a stack (left) with a file or another stack (right), or earlier values (left) with current. */
export const envDiffCommand = customCommand({
  about: 'Compare environment variables with a file, a stack or earlier values.',
  params,
  positionals: ['file'],
  examples: [
    'stackops stack env diff staging.env -s shop',
    'stackops stack env diff --with-stack blog/staging -s shop/production --keys-only',
    'stackops stack env diff --since-deployment -s shop',
  ],
  calls: [deployments.list, deployments.get, environments.list],
  reply: rows(VariableDifference),
  exits: [[10, 'with --exit-code: something differs']],
  run: async (context, input) => {
    const differences = await differencesOf(context, input);
    const listedDifferences = input.keys_only ? differences.map(({ key, change }) => ({ key, change })) : differences;
    const matchingRows = await context.matching(listedDifferences, VariableDifference.fields);
    if (matchingRows.length === 0 || !input.exit_code) return matchingRows;
    const message = matchingRows.length === 1 ? 'one variable differs' : `${matchingRows.length} variables differ`;
    throw new CliError('differs', message, { partial: { value: matchingRows } });
  },
  present: (differences, input) => ({
    kind: 'table',
    record: recordWithHeadings(input),
    rows: differences,
    empty: input.file === undefined ? 'No variable differs.' : 'No variable of the file differs.',
  }),
});

function recordWithHeadings({ file, since_deployment: since, keys_only }: DiffInput): RecordType {
  const { left, right, ...fields } = VariableDifference.fields;
  const [otherHeading, thenHeading] = [file === undefined ? 'other' : 'file', since === 'live' ? 'live' : 'then'];
  const [leftHeading, rightHeading] = since === undefined ? ['stack', otherHeading] : [thenHeading, 'now'];
  return {
    ...VariableDifference,
    fields: { ...fields, left: { ...left, heading: leftHeading }, right: { ...right, heading: rightHeading } },
    columns: keys_only ? ['key', 'change'] : VariableDifference.columns,
  };
}

/** A variable of either side. The value is null if the service sent null. */
type SideRow = Pick<Variable, 'key' | 'is_password'> & { readonly value: string | null };
type Side = ReadonlyMap<string, SideRow>;

async function differencesOf(context: Context, input: DiffInput): Promise<readonly VariableDifference[]> {
  const { file, with_stack, since_deployment, all } = input;
  if ([file, with_stack, since_deployment].filter((option) => option !== undefined).length !== 1) {
    throw new CliError('usage', 'give one of: a file, --with-stack, --since-deployment');
  }
  if (all && file === undefined) throw new CliError('usage', '--all goes with a file');
  if (since_deployment !== undefined) return differencesSince(context, input.stack_id, deploymentOf(since_deployment));
  const differences = compareSides(context, await sidesOf(context, input));
  if (file === undefined || all) return differences;
  // An import keeps the variables that only the stack has, so they are not listed.
  const fileDifferences = differences.filter(({ change }) => change !== 'removed');
  const count = differences.length - fileDifferences.length;
  if (count > 0) context.note(`${count} only in the stack; --all lists ${count === 1 ? 'it' : 'them'}`);
  return fileDifferences;
}

async function sidesOf(context: Context, input: DiffInput): Promise<readonly [left: Side, right: Side]> {
  const { with_stack } = input;
  const [right, stackRows] = await Promise.all([
    // The file is read first, so a mistake in it is reported before any request.
    with_stack === undefined ? await fileSide(context, input) : readOtherVariables(context, with_stack).then(sideOf),
    readAll(context, variable, input),
  ]);
  // A generated or read-only variable is compared only if the other side has it, too.
  return [sideOf(stackRows.filter((row) => ownerOf(row) === 'user' || right.has(row.key))), right];
}

export async function readUserVariables(context: Context, name: string): Promise<readonly Variable[]> {
  const { uid } = await findStack(context.host.listStacks, name);
  const rows = await readAll(context, variable, { stack_id: uid });
  return rows.filter((row) => ownerOf(row) === 'user');
}

/** The variables of the `--with-stack` stack, by the host of their run. They are read once for all stacks of `-s`. */
const rowsByHost = new WeakMap<CommandHost, Promise<readonly Variable[]>>();

export function readOtherVariables(context: Context, stack: string): Promise<readonly Variable[]> {
  const { host } = context;
  const reading = rowsByHost.get(host) ?? readUserVariables(context, stack);
  rowsByHost.set(host, reading);
  // A failed read is not kept, so the next stack reads again.
  reading.catch(() => rowsByHost.delete(host));
  return reading;
}

function deploymentOf(argument: string): number | 'live' {
  if (argument === 'live') return argument;
  if (/^[1-9]\d{0,14}$/.test(argument)) return Number(argument);
  throw new CliError('usage', `--since-deployment must be an ID or live, not "${argument}"`);
}

async function differencesSince(context: Context, stack_id: string, deployment: number | 'live') {
  const { rows, startMs } = await readChangedSince(context, stack_id, deployment);
  // The service keeps no history of deleted variables, so they are not compared.
  return rows.map((row) => {
    const earlierValue = valueAt(row, startMs);
    if (earlierValue === 'unknown') return { ...differenceBetween(context.reveal, row, row), left: null };
    return differenceBetween(context.reveal, earlierValue && { ...row, value: earlierValue.value }, row);
  });
}

async function fileSide(context: Context, { file = '', ...input }: DiffInput): Promise<Side> {
  await refuseStackAsFile(context, file);
  const entries = await readVariablesFile(context, { ...input, file });
  return sideOf(entries.map(({ key, value }) => ({ key, value, is_password: false })));
}

/** Throws `usage` for an unreadable file, and suggests --with-stack if its name looks like a stack. */
export async function refuseStackAsFile(context: Context, file: string): Promise<void> {
  // A stack needs a flag, because its name could be the name of a file, too.
  const correction = { replace: { word: file, by: ['--with-stack', file] } };
  const isStackLike = /^[\w-]+\/[\w-]+$/.test(file);
  const explain = (error: CliError) => (isStackLike ? error.with({ correction }) : error);
  await context.readText(file, maxFileBytes).catch(rethrowAs(explain));
}

function sideOf(sideRows: readonly SideRow[]): Side {
  return new Map(sideRows.map((row) => [row.key, row]));
}

function compareSides(context: Context, [left, right]: readonly [Side, Side]): readonly VariableDifference[] {
  // A value that one side hides cannot be compared, so it is left out with a warning.
  const hiddenRows = new Map([...left, ...right].filter(([, row]) => isPlaceholder(row)));
  warnOfOmitted(context, [...hiddenRows.values()]);
  return [...new Map([...left, ...right]).keys()].flatMap((key) => {
    const [leftRow, rightRow] = [left.get(key), right.get(key)];
    const isEqual = leftRow && rightRow && valueOrNull(leftRow) === valueOrNull(rightRow);
    return isEqual || hiddenRows.has(key) ? [] : [differenceBetween(context.reveal, leftRow, rightRow)];
  });
}

function differenceBetween(reveal: boolean, left?: SideRow, right?: SideRow): VariableDifference {
  const isHidden = !reveal && [left, right].some((one) => one !== undefined && isSecretVariable(one));
  const values = { left: left ? textOrNullWord(left) : null, right: right ? textOrNullWord(right) : null };
  const shownValues = isHidden ? maskMembers(values) : values;
  if (left === undefined) return { key: right?.key ?? '', change: 'added', ...shownValues };
  return { key: left.key, change: right === undefined ? 'removed' : 'changed', ...shownValues };
}
