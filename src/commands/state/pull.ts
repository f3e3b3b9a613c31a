import { basename } from 'node:path';
import { customCommand } from '../../builders/custom-command.ts';
import type { Context, FindStacks, Menu } from '../../contract/command.ts';
import { flag, nullable, oneOf, optional, text } from '../../contract/field.ts';
import { stackParam } from '../../contract/params.ts';
import { type RecordOf, record } from '../../contract/record.ts';
import { rows } from '../../contract/reply.ts';
import { mask } from '../../contract/values/text.ts';
import { CliError } from '../../errors/cli-error.ts';
import { utf8Text } from '../../files/named-file.ts';
import { readReplaceableFile, replaceFile } from '../../files/replace-file.ts';
import { type Expression, sectionNames } from '../../state/entry.ts';
import { editStackFile, newStackFileText } from '../../state/file/edit.ts';
import { parseStackFile } from '../../state/file/parse.ts';
import { type LockChanges, lockChangesOf, type PullEdit, pullEdits, type StackEdits } from './adopt.ts';
import { checkLockFile, readLock, updateLock } from './lock-file.ts';
import { sectionReads } from './plan.ts';
import { compareFile } from './read.ts';
import { unreadError } from './refusals.ts';
import { shownText } from './rows.ts';
import { type FileInput, fileParams, filePaths, type OpenFile, openStackFile } from './stack-file.ts';

const PulledEntry = record(
  'entry',
  {
    stack: text('The stack, as the file spells it.'),
    path: text('Its path, such as env.KEY.'),
    change: oneOf(['added', 'changed'], 'What happens to the entry.'),
    before: nullable(text('What the file had.')),
    after: text('What the file gets; `preserve` for a secret.'),
  },
  ['stack', 'path', 'change', 'before', 'after'],
  { plural: 'entries', id: 'path' },
);
type PulledEntry = RecordOf<typeof PulledEntry>;

const params = {
  ...fileParams,
  keys: optional(
    text('Adopt only variables whose names match, such as APP_*; alone it means --only env.', {
      placeholder: 'pattern',
    }),
  ),
  absent: optional(flag('Write `absent: true` for variables that no entry names; asks for the name of the stack.')),
  lock_only: optional(flag('Leave the file; write the lock for values that equal it.')),
};

interface PullInput extends FileInput {
  readonly keys?: string;
  readonly absent?: boolean;
  readonly lock_only?: boolean;
}

export const pullCommands: Menu = {
  pull: customCommand({
    about: 'Write the present state of stacks into a file.',
    params,
    positionals: ['file'],
    examples: ['stackops pull -y', "stackops pull app.yaml -s shop --only env --keys 'S*' -y"],
    calls: sectionReads,
    output: { kind: 'change', reply: rows(PulledEntry) },
    severalStacks: true,
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

interface PullResult {
  readonly entries: readonly PulledEntry[];
  readonly lines: readonly string[];
}

async function pullStacks(context: Context, typedInput: PullInput, findStacks?: FindStacks): Promise<PullResult> {
  const { keys, only = ['env'] } = typedInput;
  const input = keys === undefined ? typedInput : { ...typedInput, only };
  const { openFile, oldBytes, oldText } = await openForPull(context, input, findStacks);
  const { file, lockFile } = openFile;
  const strict = input.lock_only ? [] : (input.only ?? sectionNames);
  const comparedStacks = await compareFile(context, { ...openFile, strict }, input);
  const readError = unreadError(comparedStacks);
  if (readError) throw readError.with({ nothing: 'changed' });
  const stackEdits = input.lock_only ? [] : comparedStacks.map((one) => pullEdits(one, { ...input, ...openFile }));
  const entries = stackEdits.flatMap((one) => one.edits.map((edit) => entryOf(one.stack, edit)));
  await confirmEntries(context, file, entries);
  const edits = stackEdits.flatMap((one) => one.edits);
  const newText = edits.length > 0 ? await editStackFile(oldText, edits) : oldText;
  // The new text is parsed before anything is written, so an invalid text is an error and changes no file.
  await parseStackFile(newText, file);
  const lockChanges = lockChangesOf(comparedStacks, stackEdits);
  for (const fault of comparedStacks.flatMap(({ faults }) => faults)) context.warn(fault);
  for (const line of notPulledLines(stackEdits, lockChanges)) context.note(line);
  const countsText = countText(entries);
  if (context.dryRun) return { entries, lines: [`${file}: ${countsText}; nothing was written`] };
  if (newText !== oldText || !oldBytes) replaceFile(file, newText, { before: oldBytes, keepsRights: true });
  await updateLock(context, lockFile, lockChanges.lines, lockChanges.isDroppedLine);
  if (!openFile.lock) context.note(`for .gitattributes: ${basename(lockFile)} merge=union`);
  return {
    entries,
    lines: [
      `${file}: ${countsText}`,
      `${lockFile}: ${lockChanges.lines.length} ${lockChanges.lines.length === 1 ? 'path' : 'paths'}`,
    ],
  };
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
  const openFile = await openNewFile(context, input, findStacks);
  return { oldBytes, openFile, oldText: newStackFileText(openFile.stacks.map(({ name }) => name)) };
}

/** Returns the `OpenFile` for a missing file: without entries, with the stacks of `-s` or the default stack. */
async function openNewFile(context: Context, input: PullInput, findStacks?: FindStacks): Promise<OpenFile> {
  const uids = findStacks ? await findStacks() : [String(await context.resolveTarget(stackParam))];
  const stacks = uids.map((uid) => ({ uid, name: context.host.stackTitle(uid), line: 0, entries: [] }));
  const { file, lockFile } = filePaths(input);
  return { file, lockFile, lock: readLock(lockFile), hasOneStack: stacks.length === 1, stacks, ignore: [], strict: [] };
}

function entryOf(stack: string, { path, expression, oldExpression, isMasked }: PullEdit): PulledEntry {
  const before = isMasked ? mask : expressionText(oldExpression ?? expression);
  return {
    stack,
    path,
    change: oldExpression ? 'changed' : 'added',
    before: oldExpression ? before : null,
    after: expressionText(expression),
  };
}

function expressionText(expression: Expression): string {
  if (expression.kind === 'literal') return expression.value;
  if (expression.kind === 'tags') return expression.tags.join(', ');
  return expression.kind === 'count' ? String(expression.least) : expression.kind;
}

/** Shows the entries and asks for consent. For `absent` entries the user types the names of their stacks. */
async function confirmEntries(context: Context, file: string, entries: readonly PulledEntry[]): Promise<void> {
  for (const { stack, path, change, before, after } of entries) {
    context.note(
      `${stack}: ${change === 'added' ? `+ ${path}  ` : `~ ${path}  ${shownText(before)} -> `}${shownText(after)}`,
    );
  }
  if (entries.length === 0) return;
  const absentStacks = [...new Set(entries.filter(({ after }) => after === 'absent').map(({ stack }) => stack))];
  await context.confirm({
    level: absentStacks.length > 0 ? 'typed' : undefined,
    name: absentStacks.length > 0 ? absentStacks.join(', ') : file,
    text: async () => `Write ${file}`,
    details: () => [countText(entries)],
  });
}

function countText(entries: readonly PulledEntry[]): string {
  if (entries.length === 0) return 'nothing to change';
  const count = (change: PulledEntry['change']) => entries.filter((one) => one.change === change).length;
  return [`${count('added')} added`, `${count('changed')} changed`].join(', ');
}

function notPulledLines(stackEdits: readonly StackEdits[], { differing }: LockChanges): readonly string[] {
  const byReason = new Map<string, string[]>();
  const add = (reason: string, path: string) => byReason.set(reason, [...(byReason.get(reason) ?? []), path]);
  for (const { path, reason } of stackEdits.flatMap(({ unwritable }) => unwritable)) add(`left out (${reason})`, path);
  for (const { path, reason } of differing) add(`still differs (${reason})`, path);
  return [...byReason].map(([reason, paths]) => `${reason}: ${[...new Set(paths)].join(', ')}`);
}
