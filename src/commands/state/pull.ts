import { basename } from 'node:path';
import { customCommand } from '../../builders/custom-command.ts';
import type { Context, FindStacks, Menu } from '../../contract/command.ts';
import { flag, nullable, oneOf, optional, text } from '../../contract/field.ts';
import { stackParam } from '../../contract/params.ts';
import { type RecordOf, record } from '../../contract/record.ts';
import { rows } from '../../contract/reply.ts';
import { groupBy } from '../../contract/values/group-by.ts';
import { mask } from '../../contract/values/text.ts';
import { CliError } from '../../errors/cli-error.ts';
import { utf8Text } from '../../files/named-file.ts';
import { readReplaceableFile, replaceFile } from '../../files/replace-file.ts';
import { type Expression, sectionNames } from '../../state/entry.ts';
import { editStackFile, newStackFileText } from '../../state/file/edit.ts';
import { parseStackFile } from '../../state/file/parse.ts';
import { type PullOptions, planStackPull, type StackPull } from './adopt.ts';
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

type PullInput = FileInput & PullOptions;

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
  const pulls = comparedStacks.map((one) => planStackPull(one, input, openFile.hasOneStack));
  const entries = pulls.flatMap(entriesOf);
  await confirmEntries(context, file, { pulls, entries });
  const edits = pulls.flatMap((one) => one.edits);
  const newText = edits.length > 0 ? await editStackFile(oldText, edits) : oldText;
  // The new text is parsed before anything is written, so an invalid text is an error and changes no file.
  await parseStackFile(newText, file);
  for (const fault of comparedStacks.flatMap(({ faults }) => faults)) context.warn(fault);
  for (const line of notPulledLines(pulls)) context.note(line);
  const countsText = countText(entries);
  if (context.dryRun) return { entries, lines: [`${file}: ${countsText}; nothing was written`] };
  if (newText !== oldText || !oldBytes) replaceFile(file, newText, { before: oldBytes, keepsRights: true });
  const lockLines = pulls.flatMap((one) => one.lockLines);
  await updateLock(context, lockFile, lockLines, (line) => pulls.some(({ isDroppedLine }) => isDroppedLine(line)));
  if (!openFile.lock) context.note(`for .gitattributes: ${basename(lockFile)} merge=union`);
  const lockSummary = `${lockFile}: ${lockLines.length} ${lockLines.length === 1 ? 'path' : 'paths'}`;
  return { entries, lines: [`${file}: ${countsText}`, lockSummary] };
}

async function openForPull(context: Context, input: PullInput, findStacks?: FindStacks) {
  const paths = filePaths(input);
  const { file, lockFile } = paths;
  if (file === '-') throw new CliError('usage', 'pull writes a file: give its name, not -');
  const oldBytes = readReplaceableFile(file);
  if (!oldBytes && input.lock_only) throw new CliError('usage', `cannot read ${file}: file not found`);
  await checkLockFile(context, file, lockFile);
  if (oldBytes) {
    return { oldBytes, openFile: await openStackFile(context, input, findStacks), oldText: utf8Text(oldBytes, file) };
  }
  // A new file gets the stacks of `-s`, or the default stack.
  const uids = findStacks ? await findStacks() : [String(await context.resolveTarget(stackParam))];
  const stacks = uids.map((uid) => ({ uid, name: context.host.stackTitle(uid), line: 0, entries: [] }));
  const lock = readLock(lockFile);
  const openFile: OpenFile = { ...paths, lock, hasOneStack: stacks.length === 1, stacks, ignore: [], strict: [] };
  return { oldBytes, openFile, oldText: newStackFileText(stacks.map(({ name }) => name)) };
}

function entriesOf({ stack, edits }: StackPull): readonly PulledEntry[] {
  return edits.map(({ path, expression, oldExpression, isMasked }) => {
    const after = expressionText(expression);
    if (!oldExpression) return { stack, path, change: 'added', before: null, after };
    return { stack, path, change: 'changed', before: isMasked ? mask : expressionText(oldExpression), after };
  });
}

function expressionText(expression: Expression): string {
  if (expression.kind === 'literal') return expression.value;
  if (expression.kind === 'tags') return expression.tags.join(', ');
  return expression.kind === 'count' ? String(expression.least) : expression.kind;
}

interface PulledEntries {
  readonly pulls: readonly StackPull[];
  readonly entries: readonly PulledEntry[];
}

/** Shows the entries and asks for consent. For `absent` entries the user types the names of their stacks. */
async function confirmEntries(context: Context, file: string, { pulls, entries }: PulledEntries): Promise<void> {
  for (const { stack, path, change, before, after } of entries) {
    context.note(
      `${stack}: ${change === 'added' ? `+ ${path}  ` : `~ ${path}  ${shownText(before)} -> `}${shownText(after)}`,
    );
  }
  if (entries.length === 0) return;
  const stacksWithAbsent = pulls.filter(({ edits }) => edits.some(({ expression }) => expression.kind === 'absent'));
  await context.confirm({
    level: stacksWithAbsent.length > 0 ? 'typed' : undefined,
    name: stacksWithAbsent.map(({ stack }) => stack).join(', ') || file,
    text: async () => `Write ${file}`,
    details: () => [countText(entries)],
  });
}

function countText(entries: readonly PulledEntry[]): string {
  if (entries.length === 0) return 'nothing to change';
  const countOf = (change: PulledEntry['change']) => entries.filter((one) => one.change === change).length;
  return `${countOf('added')} added, ${countOf('changed')} changed`;
}

function notPulledLines(pulls: readonly StackPull[]): readonly string[] {
  const notes = [
    ...pulls.flatMap((one) => one.unwritable.map(({ path, reason }) => ({ path, label: `left out (${reason})` }))),
    ...pulls.flatMap((one) => one.differing.map(({ path, reason }) => ({ path, label: `still differs (${reason})` }))),
  ];
  return [...groupBy(notes, ({ label }) => label)].map(
    ([label, all]) => `${label}: ${[...new Set(all.map(({ path }) => path))].join(', ')}`,
  );
}
