import { isUnderWay } from '../../builders/execute/summary.ts';
import { findAmong, readAll, refuseReadonly } from '../../builders/resource/find.ts';
import { write } from '../../builders/write.ts';
import type { Apply, Context } from '../../contract/command.ts';
import { type CommandLine, flagWords } from '../../contract/command-line.ts';
import { optional, type Values } from '../../contract/field.ts';
import { inStack } from '../../contract/params.ts';
import type { Change, Outcome, Plan } from '../../contract/plan.ts';
import { dotenv, readAssignments } from '../../env-file/dotenv.ts';
import { attempt, CliError } from '../../errors/cli-error.ts';
import { saveTemporaryFile } from '../../files/temporary-file.ts';
import { applyStrategy, environments, type Variable, variable } from '../../resources/env.ts';
import { describeStack } from '../../resources/stack.ts';
import { planChangeSet, type SourcedVariable } from './change-set.ts';
import { editText } from './editor.ts';
import { emptiedText, emptyCommand, keysEmptiedBy } from './set.ts';
import { isPlaceholder, literalText, ownerOf, variableChangeRecord, variableText } from './variable.ts';

const params = {
  stack_id: inStack,
  key: optional({ ...variable.argumentField, about: 'Variable whose bare value is edited (default: all as dotenv).' }),
  apply_strategy: applyStrategy,
};
type EditInput = Values<typeof params>;

export const edit = write({
  moreEffects: ['prints_secret'],
  about: 'Change environment variables in an editor ($VISUAL or $EDITOR).',
  params,
  positionals: ['key'],
  examples: ['stackops stack env edit -s shop', 'stackops stack env edit ROBOTS -s shop'],
  calls: [environments.list, environments.create, environments.update, environments.delete],
  record: variableChangeRecord,
  isList: true,
  confirm: {
    level: 'yes',
    act: 'Change variables of',
    when: 'before every change; where a line was removed, by the name of the stack',
  },
  edit: async (context, input, apply: Apply<{ rows: readonly Variable[]; changes: readonly SourcedVariable[] }>) => {
    const rows = await readAll(context, variable, input);
    const { key } = input;
    const editing = key === undefined ? await editAll(rows, context, input) : editOne(rows, key, input);
    const read = (text: string) => {
      const changes = editing.read(text);
      const emptiedKeys = keysEmptiedBy(changes, rows);
      if (emptiedKeys.length > 0)
        throw new CliError('usage', emptiedText(emptiedKeys), { hint: emptyCommand(emptiedKeys, input.stack_id) });
      return { name: editing.name, text, changes };
    };
    const edited = await editText({ ...editing, read, warn: context.warn }, context);
    try {
      return await apply({ rows, changes: edited?.changes ?? [] });
    } catch (error) {
      // Without a terminal the editor is a program that can write the text again, so the text is not saved.
      if (context.ask === undefined || !edited) throw error;
      throw unappliedError(error, edited, input, context);
    }
  },
  plan: async (context, input, { rows, changes }) => {
    if (changes.length === 0) return emptyPlan;
    const oldRows = await readAll(context, variable, input);
    refuseStale(rows, oldRows, changes);
    return planChangeSet(context, changes, { ...input, oldRows, origin: 'env file' });
  },
});

async function editAll(rows: readonly Variable[], context: Context, { stack_id }: EditInput) {
  const text = variablesText(rows, await describeStack(context, stack_id));
  return { name: fileName, text, read: (after: string) => editedChanges(text, after), comment: commentOf };
}

function editOne(rows: readonly Variable[], argument: string, input: EditInput) {
  const row = findAmong(variable, rows, argument, input);
  refuseReadonly([row]);
  const { key } = row;
  const before = isPlaceholder(row) ? '' : (variableText(row) ?? '');
  const read = (after: string): readonly SourcedVariable[] => {
    // Editors add a line feed to the last line, so one is removed from the end of the value.
    const value = after.replace(/\r?\n$/, '');
    return value === before ? [] : [{ key, value }];
  };
  return { name: 'value.txt', text: `${before}\n`, read };
}

function refuseStale(base: readonly Variable[], rows: readonly Variable[], changes: readonly SourcedVariable[]): void {
  const textIn = (rows: readonly Variable[], key: string) => rows.find((other) => other.key === key)?.value;
  const changedKeys = changes.filter(({ key }) => textIn(base, key) !== textIn(rows, key)).map(({ key }) => key);
  if (changedKeys.length === 0) return;
  const message = `somebody else changed ${changedKeys.join(', ')} meanwhile`;
  throw new CliError('rejected', message, { nothing: 'changed', correction: {} });
}

const nothingLines = ['Nothing changed.'];
const emptyPlan: Plan = {
  steps: [],
  preview: { changes: [], lines: nothingLines },
  summarize: () => ({ lines: nothingLines }),
};

type EditedText = { readonly name: string; readonly text: string; readonly changes: readonly SourcedVariable[] };

/**
 * Returns the error of an edit that was not applied, with the commands that apply it. New values are saved to a private
 * file, and a warning names the file. Nothing is saved if no change was lost, or if the user gave up.
 */
function unappliedError(error: unknown, edited: EditedText, input: EditInput, context: Context): unknown {
  const { name, text, changes } = edited;
  const { key, stack_id, apply_strategy } = input;
  if (!(error instanceof CliError) || !hasLostChanges(error)) return error;
  const setKeys = changes.filter(({ value }) => value !== null).map((one) => one.key);
  const deletedKeys = changes.filter(({ value }) => value === null).map((one) => one.key);
  const file = setKeys.length > 0 ? saveText(name, text, context) : undefined;
  const { correction, hint: knownHint } = error.details;
  const isTextLost = setKeys.length > 0 && file === undefined;
  if (isTextLost || knownHint || correction?.add) return error;
  const flags = apply_strategy ? flagWords('--apply-strategy', apply_strategy) : [];
  const setCommand = (from: string): CommandLine =>
    key === undefined
      ? { path: 'stack env import', operands: [from, ...setKeys], flags, stack_id }
      : { path: 'stack env set', operands: setKeys, flags: ['--from-file', from, ...flags], stack_id };
  const unsetCommand = { path: 'stack env unset', operands: deletedKeys, stack_id };
  const hint = [...(file ? [setCommand(file)] : []), ...(deletedKeys.length > 0 ? [unsetCommand] : [])];
  return error.with({ correction: undefined, hint });
}

function hasLostChanges({ kind, details: { partial } }: CliError): boolean {
  if (kind === 'interrupted') return false;
  const changes = (partial?.value as Outcome | undefined)?.data as readonly Change[] | undefined;
  return !changes?.every((change) => change.change === 'unchanged' || isUnderWay(change));
}

function saveText(name: string, text: string, context: Context): string | undefined {
  const file = attempt(() => saveTemporaryFile(name, text));
  const isUnsaved = file instanceof CliError;
  context.warn(
    isUnsaved ? `your text is lost: ${file.message}` : `your text was saved to ${file}; delete the file after use`,
  );
  return isUnsaved ? undefined : file;
}

const fileName = 'variables.env';

/** The heading of each group of variables that the edited text shows as comments, by the reason for the comments. */
const remarks = {
  locked: 'Read-only:',
  generated: 'Generated by the service. Remove the # to change one:',
  hidden: 'Hidden by the service. Remove the # and give a value to change one:',
  unfit: 'Edit one of these by its name:',
};
type Remark = keyof typeof remarks;

/** Returns the variables of a stack as dotenv text. A variable with a remark becomes a comment. */
export function variablesText(rows: readonly Variable[], stack: string): string {
  const editableLines = rows.filter((row) => remarkFor(row) === undefined).map((row) => `${dotenvLine(row)}\n`);
  const commentBlocks = (Object.keys(remarks) as readonly Remark[]).flatMap((remark) => {
    const lines = rows.filter((row) => remarkFor(row) === remark).map((row) => commentOf(commentLine(row, remark)));
    return lines.length > 0 ? [`\n${commentOf(remarks[remark])}${lines.join('')}`] : [];
  });
  const head = [
    `Environment variables of ${stack}, one KEY=VALUE a line.`,
    'Quote a value with blanks or lines: \'as it is\', or "with \\n for a new line".',
    'Remove a line to delete its variable. Lines that begin with # are ignored.',
  ];
  return [...head.map(commentOf), '\n', ...editableLines, ...commentBlocks].join('').toWellFormed();
}

function commentOf(text: string): string {
  return `${text.replaceAll(/^/gm, '# ')}\n`;
}

/** Returns the changes between two dotenv texts. Throws `usage` for a mistake in a text, and if no variable is left. */
export function editedChanges(before: string, after: string): readonly SourcedVariable[] {
  const oldValues = new Map(entriesOf(before).map(({ key, value }) => [key, value]));
  const entries = entriesOf(after);
  if (entries.length === 0 && oldValues.size > 0) throw new CliError('usage', 'the edited file has no variables left');
  const keysLeft = new Set(entries.map(({ key }) => key));
  const removals = [...oldValues.keys()].filter((key) => !keysLeft.has(key)).map((key) => ({ key, value: null }));
  const changedEntries = entries.filter(({ key, value }) => oldValues.get(key) !== value);
  return [...changedEntries.map(({ key, value, line }) => ({ key, value, location: `line ${line}` })), ...removals];
}

const entriesOf = (text: string) => readAssignments({ text, source: fileName }, dotenv.readValue);

function remarkFor(row: Variable): Remark | undefined {
  const owner = ownerOf(row);
  if (owner !== 'user') return owner;
  if (isPlaceholder(row)) return 'hidden';
  return isReadBack(row) ? undefined : 'unfit';
}

function isReadBack(row: Variable): boolean {
  // Reading throws for a name that dotenv cannot spell, such as `it's`.
  try {
    const [entry, ...more] = entriesOf(dotenvLine(row));
    return more.length === 0 && entry?.key === row.key && entry.value === variableText(row);
  } catch {
    return false;
  }
}

function dotenvLine(row: Variable): string {
  return dotenv.lineText(row.key, literalText(row));
}

function commentLine(row: Variable, remark: Remark): string {
  if (remark === 'unfit') return row.key;
  return isPlaceholder(row) ? `${row.key}=` : dotenvLine(row);
}
