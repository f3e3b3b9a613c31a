import { basename } from 'node:path';
import { customCommand } from '../../builders/custom-command.ts';
import type { Context, FindStacks, Menu } from '../../contract/command.ts';
import { flag, nullable, oneOf, optional, text } from '../../contract/field.ts';
import { type RecordOf, record } from '../../contract/record.ts';
import { rows } from '../../contract/reply.ts';
import { groupBy } from '../../contract/values/group-by.ts';
import { mask, matchesPattern } from '../../contract/values/text.ts';
import { CliError } from '../../errors/cli-error.ts';
import { utf8Text } from '../../files/named-file.ts';
import { readReplaceableFile, replaceFile } from '../../files/replace-file.ts';
import { isValidKey } from '../../resources/env.ts';
import type { ServerRow } from '../../resources/server.ts';
import {
  type Expression,
  isReference,
  isTagsPath,
  type NewExpression,
  type StackEntry,
  sectionNames,
} from '../../state/entry.ts';
import { editStackFile, type FileEdit, newStackFileText } from '../../state/file/edit.ts';
import { parseStackFile } from '../../state/file/parse.ts';
import type { LockLine } from '../../state/lock.ts';
import { type Difference, lockLineOf, mayComeFromReference, type UnnamedItem } from './compare.ts';
import { type ComparedStack, compareFile } from './compare-file.ts';
import { checkLockFile, readLock, updateLock } from './lock-file.ts';
import { sectionReads } from './plan.ts';
import { unreadError } from './refusals.ts';
import { pathFields, shownText } from './rows.ts';
import type { StackItem } from './section.ts';
import { type FileInput, fileParams, filePaths, type OpenFile, openStackFile, selectedUids } from './stack-file.ts';

const PulledEntry = record(
  'entry',
  {
    ...pathFields,
    change: oneOf(['added', 'changed'], 'What happens to the entry.'),
    before: nullable(text('What the file had.')),
    after: text('What the file gets; `preserve` for a secret.'),
  },
  ['stack', 'path', 'change', 'before', 'after'],
  { plural: 'entries', id: 'path' },
);
type PulledEntry = RecordOf<typeof PulledEntry>;

interface PullInput extends FileInput {
  /** The pattern for variables to write; absent for all. */
  readonly keys?: string;
  /** True to write `absent`, not the value, for variables that no entry names and the service did not generate. */
  readonly absent?: boolean;
  readonly lock_only?: boolean;
}

export const pullCommands: Menu = {
  pull: customCommand({
    about: 'Write the present state of stacks into a file.',
    params: {
      ...fileParams,
      keys: optional(
        text('Adopt only variables whose names match, such as APP_*; alone it means --only env.', {
          placeholder: 'pattern',
        }),
      ),
      absent: optional(flag('Write `absent: true` for variables that no entry names; asks for the name of the stack.')),
      lock_only: optional(flag('Leave the file; write the lock for values that equal it.')),
    },
    positionals: ['file'],
    examples: ['stackops pull -y', "stackops pull app.yaml -s shop --only env --keys 'S*' -y"],
    calls: sectionReads,
    output: { kind: 'change', reply: rows(PulledEntry) },
    showsSeveral: true,
    moreEffects: ['reads_file', 'writes_file', 'runs_program'],
    confirm: {
      level: 'yes',
      act: 'Write',
      when: 'before it changes the file; with --absent, by the name of the stack',
    },
    exits: [[7, 'a section could not be read; nothing is written']],
    run: pullStacks,
    data: ({ entries }) => entries,
    present: ({ lines }) => ({ kind: 'done', lines }),
  }),
};

type PullOutput = { readonly entries: readonly PulledEntry[]; readonly lines: readonly string[] };

async function pullStacks(context: Context, typedInput: PullInput, findStacks?: FindStacks): Promise<PullOutput> {
  const { keys, only = ['env'] } = typedInput;
  const input = keys === undefined ? typedInput : { ...typedInput, only };
  const { openFile, oldBytes, oldText } = await openForPull(context, input, findStacks);
  const { file, lockFile } = openFile;
  const strict = input.lock_only ? [] : sectionNames;
  const comparedStacks = await compareFile(context, { ...openFile, strict }, input);
  const readError = unreadError(comparedStacks);
  if (readError) throw readError.with({ nothing: 'changed' });
  const pulls = comparedStacks.map((one) => planPull(one, input, openFile.hasOneStack));
  const edits = pulls.flatMap((one) => one.edits);
  const entries = edits.map(({ row }) => row);
  await confirmEdits(context, file, edits);
  const newText = edits.length > 0 ? await editStackFile(oldText, edits) : oldText;
  // The new text is parsed before anything is written, so an invalid text is an error and changes no file.
  await parseStackFile(newText, file);
  for (const fault of comparedStacks.flatMap(({ faults }) => faults)) context.warn(fault);
  const leftOut = pulls.flatMap((one) => one.leftOut);
  notePaths(context, 'left out', leftOut);
  const differing = pulls.flatMap((one) => one.differing);
  notePaths(context, 'still differs', differing);
  const countsText = countText(entries);
  if (context.dryRun) return { entries, lines: [`${file}: ${countsText}; nothing was written`] };
  if (newText !== oldText || !oldBytes) replaceFile(file, newText, { before: oldBytes, keepsRights: true });
  const lockLines = pulls.flatMap((one) => one.lockLines);
  const isDroppedLine = (line: LockLine) => pulls.some((one) => one.isDroppedLine(line));
  await updateLock(context, lockFile, { lines: lockLines, isDroppedLine });
  if (!openFile.lock) context.note(`for .gitattributes: ${basename(lockFile)} merge=union`);
  const lockSummary = `${lockFile}: ${lockLines.length} ${lockLines.length === 1 ? 'path' : 'paths'}`;
  return { entries, lines: [`${file}: ${countsText}`, lockSummary] };
}

async function openForPull(context: Context, input: PullInput, findStacks?: FindStacks) {
  const { file, lockFile } = filePaths(input);
  if (file === '-') throw new CliError('usage', 'pull writes a file: give its name, not -');
  const oldBytes = readReplaceableFile(file);
  if (!oldBytes && input.lock_only) throw new CliError('usage', `cannot read ${file}: file not found`);
  await checkLockFile(context, file, lockFile);
  if (oldBytes) {
    return { oldBytes, openFile: await openStackFile(context, input, findStacks), oldText: utf8Text(oldBytes, file) };
  }
  // A new file gets the stacks of `-s`, or the default stack.
  const uids = await selectedUids(context, findStacks);
  const stacks = uids.map((uid) => ({ uid, name: context.host.stackTitle(uid), line: 0, entries: [] }));
  const hasOneStack = stacks.length === 1;
  const openFile: OpenFile = { file, lockFile, lock: readLock(lockFile), hasOneStack, stacks, ignore: [], strict: [] };
  return { oldBytes, openFile, oldText: newStackFileText(stacks.map(({ name }) => name)) };
}

/** An edit of the file. It also tells how the entry and the item compare after the edit. */
interface PullEdit extends FileEdit, Pick<Difference, 'path' | 'action' | 'isMasked'> {
  readonly entry: Pick<StackEntry, 'expression'>;
  readonly item: StackItem;
  readonly row: PulledEntry;
}

/** The reason is undefined if the path needs no note. */
type PathReason = { readonly path: string; readonly reason: string | undefined };

interface StackPull {
  readonly edits: readonly PullEdit[];
  /** The items without an entry. A reason tells why the file cannot hold an item. */
  readonly leftOut: readonly PathReason[];
  /** The entries after the edits. A reason tells why an entry still differs from the service. */
  readonly differing: readonly PathReason[];
  readonly lockLines: readonly LockLine[];
  readonly isDroppedLine: (line: LockLine) => boolean;
}

/** Plans the edits: differing entries get the value of the service, items without an entry get an entry. */
function planPull(compared: ComparedStack, input: PullInput, hasOneStack: boolean): StackPull {
  const { stack, sections, serverRows, items, unnamedItems, differences } = compared;
  const { keys = '*', lock_only } = input;
  const isChosen = ({ section, item }: UnnamedItem) => section.name !== 'env' || matchesPattern(item.key, keys);
  const candidates = lock_only ? [] : [...differences.filter(getsServiceValue), ...unnamedItems.filter(isChosen)];
  const whyLeftOut = ({ entry, item }: Candidate) => (entry ? undefined : unwritableReason(item, serverRows));
  const writable = candidates.filter((one) => whyLeftOut(one) === undefined);
  const edits = writable.map((one) => pullEdit(one, stack.name, { ...input, hasOneStack }));
  const editedPaths = new Set(edits.map(({ path }) => path));
  const results = [...differences.filter(({ path }) => !editedPaths.has(path)), ...edits];
  const settled = results.filter((one) => whyDiffering(one) === undefined);
  const absent = edits.filter(({ expression }) => expression.kind === 'absent');
  const lineOf = (one: PullResult) => lockLineOf(stack.name, one, one.isMasked);
  return {
    edits,
    leftOut: candidates.map((one) => ({ path: one.path, reason: whyLeftOut(one) })),
    differing: results.map((one) => ({ path: one.path, reason: whyDiffering(one) })),
    // Without a digest an `absent` entry counts as edited, and `apply` deletes the variable.
    lockLines: [...settled.map(lineOf), ...absent.map((one) => ({ ...lineOf(one), digest: null }))],
    isDroppedLine: (line) => {
      const sectionName = isTagsPath(line.path) ? 'tags' : line.path.split('.', 1)[0];
      const isOfReadSection = line.stack === stack.name && sections.some(({ name }) => name === sectionName);
      if (!isOfReadSection || results.some(({ path }) => path === line.path)) return false;
      // The line of a former reference is kept, because without the line a later pull would write the value.
      const item = items.find(({ path }) => path === line.path);
      return !mayComeFromReference(line, item);
    },
  };
}

type ExistingDifference = Difference & { readonly item: StackItem };
type Candidate = ExistingDifference | UnnamedItem;

/** True if the entry gets the value of the service. References and markers stay. */
function getsServiceValue(one: Difference): one is ExistingDifference {
  const { action, entry, item } = one;
  return action !== 'unchanged' && item !== undefined && ['literal', 'tags', 'count'].includes(entry.expression.kind);
}

function unwritableReason(item: StackItem, serverRows: readonly ServerRow[]): string | undefined {
  const { key, server, unmanagedReason } = item;
  if (unmanagedReason !== undefined) return unmanagedReason;
  if (!isValidKey(key) || key === '<<') return 'a file cannot spell its name';
  if (!server) return undefined;
  if (/^$|^<<$|^@/.test(server.name)) return 'a file cannot spell its server';
  const isSharedName = serverRows.some(({ name, uid }) => name === server.name && uid !== server.uid);
  return isSharedName ? 'several servers have this name' : undefined;
}

type EditOptions = Pick<PullInput, 'absent'> & Pick<OpenFile, 'hasOneStack'>;

function pullEdit(candidate: Candidate, stack: string, { absent, hasOneStack }: EditOptions): PullEdit {
  const { section, path, entry, item, isMasked, wasReference } = candidate;
  const { value, key, server } = item;
  // An entry for a role stays, and the server gets an entry of its own.
  const oldExpression = entry?.server?.startsWith('@') ? undefined : entry?.expression;
  const oldText = oldExpression ? expressionText(oldExpression) : null;
  // A value that may come from a reference is preserved, because the file may be in git and must not get a secret.
  const isPreserved = wasReference || value === null || item.isSecret || item.isGenerated;
  const literal = { kind: 'literal', value: value ?? '' } as const;
  const present: NewExpression = isPreserved ? { kind: 'preserve' } : (section.newExpression?.(item) ?? literal);
  const writesAbsent = absent && !entry && section.name === 'env' && !item.isGenerated;
  const expression: NewExpression = writesAbsent ? { kind: 'absent' } : present;
  const before = oldText !== null && isMasked ? mask : oldText;
  return {
    section: section.name,
    key,
    server: server?.name,
    overlay: entry?.source.stack ?? (hasOneStack ? null : stack),
    expression,
    path,
    action: writesAbsent ? 'delete' : 'unchanged',
    isMasked: false,
    entry: { expression },
    item,
    row: { stack, path, change: oldExpression ? 'changed' : 'added', before, after: expressionText(expression) },
  };
}

function expressionText(expression: Expression): string {
  if (expression.kind === 'literal') return expression.value;
  if (expression.kind === 'tags') return expression.tags.join(', ');
  return expression.kind === 'count' ? String(expression.least) : expression.kind;
}

type PullResult = Pick<Difference, 'path' | 'action' | 'item' | 'isMasked'> & Pick<PullEdit, 'entry'>;

/** Returns why an entry still differs after a pull; undefined if it is equal or preserved. */
function whyDiffering({ action, entry: { expression }, item }: PullResult): string | undefined {
  if (action === 'unchanged' || (expression.kind === 'preserve' && item)) return undefined;
  if (!item) return 'the service has none';
  if (expression.kind === 'absent') return 'absent in the file';
  return isReference(expression) ? 'its reference has another value here' : 'the service has another value';
}

/** Shows the edits and asks for consent. For `absent` entries the user types the names of their stacks. */
async function confirmEdits(context: Context, file: string, edits: readonly PullEdit[]): Promise<void> {
  const entries = edits.map(({ row }) => row);
  for (const { stack, path, change, before, after } of entries) {
    const beforeText = change === 'added' ? `+ ${path}  ` : `~ ${path}  ${shownText(before)} -> `;
    context.note(`${stack}: ${beforeText}${shownText(after)}`);
  }
  if (entries.length === 0) return;
  const absentStacks = new Set(edits.flatMap(({ expression, row }) => (expression.kind === 'absent' ? row.stack : [])));
  await context.confirm({
    level: absentStacks.size > 0 ? 'typed' : undefined,
    name: [...absentStacks].join(', ') || file,
    text: async () => `Write ${file}`,
    details: () => [countText(entries)],
  });
}

function countText(entries: readonly PulledEntry[]): string {
  if (entries.length === 0) return 'nothing to change';
  const countOf = (change: PulledEntry['change']) => entries.filter((one) => one.change === change).length;
  return `${countOf('added')} added, ${countOf('changed')} changed`;
}

function notePaths(context: Context, label: string, paths: readonly PathReason[]): void {
  for (const [reason, group] of groupBy(paths, (one) => one.reason)) {
    const distinctPaths = new Set(group.map(({ path }) => path));
    if (reason !== undefined) context.note(`${label} (${reason}): ${[...distinctPaths].join(', ')}`);
  }
}
