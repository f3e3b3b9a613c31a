import { isUnderWay } from '../../builders/execute/summary.ts';
import { findAmong, readAll, refuseReadonly } from '../../builders/resource/find.ts';
import { write } from '../../builders/write.ts';
import type { ApplyEditedValue, Context } from '../../contract/command.ts';
import { type CommandLine, flagWords } from '../../contract/command-line.ts';
import { optional, type Values } from '../../contract/field.ts';
import { stackParam } from '../../contract/params.ts';
import type { Change, Outcome, Plan } from '../../contract/plan.ts';
import { groupBy } from '../../contract/values/group-by.ts';
import { dotenvFormat, readAssignments } from '../../env-file/dotenv.ts';
import { attempt, CliError, rethrowAs } from '../../errors/cli-error.ts';
import { applyStrategyParam, environments, type Variable, variable } from '../../resources/env.ts';
import { readStackTitle } from '../../resources/stack.ts';
import { planChangeSet, type SourcedVariable } from './change-set.ts';
import { editText, saveText } from './editor.ts';
import { emptiedText, emptyingCommand, keysEmptiedBy } from './set.ts';
import { isPlaceholder, ownerOf, textOrNullWord, valueOrNull, variableChangeRecord } from './variable.ts';

const params = {
  stack_id: stackParam,
  key: optional({ ...variable.argumentField, about: 'Variable whose bare value is edited (default: all as dotenv).' }),
  apply_strategy: applyStrategyParam,
};
type EditInput = Values<typeof params>;

/** `rows` are the variables when the editor was opened. */
type EditedVariables = { readonly rows: readonly Variable[]; readonly changes: readonly SourcedVariable[] };

export const envEditCommand = write({
  moreEffects: ['prints_secret'],
  about: 'Change environment variables in an editor ($VISUAL or $EDITOR).',
  params,
  positionals: ['key'],
  examples: ['stackops stack env edit -s shop', 'stackops stack env edit ROBOTS -s shop'],
  calls: [environments.list, environments.create, environments.update, environments.delete],
  record: variableChangeRecord,
  printsList: true,
  confirm: {
    level: 'yes',
    act: 'Change variables of',
    when: 'before every change; where a line was removed, by the name of the stack',
  },
  edit: async (context, input, apply: ApplyEditedValue<EditedVariables>) => {
    const rows = await readAll(context, variable, input);
    const editable =
      input.key === undefined ? await editableVariables(rows, context, input) : editableValue(rows, input);
    const readChanges = (text: string) => {
      const changes = editable.read(text);
      const emptiedKeys = keysEmptiedBy(changes, rows);
      if (emptiedKeys.length > 0)
        throw new CliError('usage', emptiedText(emptiedKeys), { hint: emptyingCommand(emptiedKeys, input.stack_id) });
      return { name: editable.name, text, changes };
    };
    const editedText = await editText({ ...editable, read: readChanges }, context);
    // Without a terminal the editor is a program that can write the text again, so the text is not saved.
    const explain = (error: CliError) =>
      context.ask && editedText ? unappliedError(error, editedText, input, context) : error;
    return apply({ rows, changes: editedText?.changes ?? [] }).catch(rethrowAs(explain));
  },
  plan: async (context, input, edited) => {
    if (edited.changes.length === 0) return emptyPlan;
    const oldRows = await readAll(context, variable, input);
    refuseStaleChanges(edited, oldRows);
    return planChangeSet(context, edited.changes, { ...input, oldRows, origin: 'env file' });
  },
});

async function editableVariables(rows: readonly Variable[], context: Context, { stack_id }: EditInput) {
  const text = variablesText(rows, await readStackTitle(context, stack_id));
  return { name: fileName, text, read: (after: string) => editedChanges(text, after), comment: commentOf };
}

function editableValue(rows: readonly Variable[], input: EditInput) {
  const row = findAmong(variable, rows, String(input.key), input);
  refuseReadonly([row]);
  const { key } = row;
  const oldValue = isPlaceholder(row) ? '' : (valueOrNull(row) ?? '');
  const readChange = (after: string): readonly SourcedVariable[] => {
    // Editors add a line feed to the last line, so one is removed from the end of the value.
    const value = after.replace(/\r?\n$/, '');
    return value === oldValue ? [] : [{ key, value }];
  };
  return { name: 'value.txt', text: `${oldValue}\n`, read: readChange };
}

function refuseStaleChanges({ rows, changes }: EditedVariables, newRows: readonly Variable[]): void {
  const valueIn = (rows: readonly Variable[], key: string) => rows.find((row) => row.key === key)?.value;
  const changedKeys = changes.map(({ key }) => key).filter((key) => valueIn(rows, key) !== valueIn(newRows, key));
  if (changedKeys.length === 0) return;
  const message = `somebody else changed ${changedKeys.join(', ')} meanwhile`;
  throw new CliError('rejected', message, { nothing: 'changed', correction: {} });
}

const unchangedSummary = { lines: ['Nothing changed.'] };
const emptyPlan: Plan = { steps: [], preview: { changes: [], ...unchangedSummary }, summarize: () => unchangedSummary };

type EditedText = { readonly name: string; readonly text: string; readonly changes: readonly SourcedVariable[] };

/** Adds the commands that apply the edit. New values are saved to a private file, unless the user gave up. */
function unappliedError(error: CliError, editedText: EditedText, input: EditInput, context: Context): CliError {
  if (!hasLostChanges(error)) return error;
  const { name, text, changes } = editedText;
  const { stack_id, apply_strategy } = input;
  const keysToSet = changes.filter(({ value }) => value !== null).map(({ key }) => key);
  const deletedKeys = changes.filter(({ value }) => value === null).map(({ key }) => key);
  const commands: CommandLine[] = [];
  if (keysToSet.length > 0) {
    const file = saveText(name, text, context);
    if (file === undefined) return error;
    const flags = apply_strategy ? flagWords('--apply-strategy', apply_strategy) : [];
    commands.push(
      input.key === undefined
        ? { path: 'stack env import', operands: [file, ...keysToSet], flags, stack_id }
        : { path: 'stack env set', operands: keysToSet, flags: ['--from-file', file, ...flags], stack_id },
    );
  }
  if (deletedKeys.length > 0) commands.push({ path: 'stack env unset', operands: deletedKeys, stack_id });
  const { correction, hint } = error.details;
  return hint || correction?.add ? error : error.with({ correction: undefined, hint: commands });
}

function hasLostChanges({ kind, details: { partial } }: CliError): boolean {
  if (kind === 'interrupted') return false;
  const changes = (partial?.value as Outcome | undefined)?.data as readonly Change[] | undefined;
  return !changes?.every((change) => change.change === 'unchanged' || isUnderWay(change));
}

const fileName = 'variables.env';

/** The heading of each group of variables that the edited text shows as comments, by the reason for the comments. */
const commentHeadings = {
  locked: 'Read-only:',
  generated: 'Generated by the service. Remove the # to change one:',
  hidden: 'Hidden by the service. Remove the # and give a value to change one:',
  unfit: 'Edit one of these by its name:',
};
type CommentReason = keyof typeof commentHeadings;

/** Returns the variables of a stack as dotenv text. A variable with a reason for a comment becomes one. */
export function variablesText(rows: readonly Variable[], stack: string): string {
  const groups = groupBy(rows, commentReason);
  const commentBlocks = Object.entries(commentHeadings).flatMap(([reason, heading]) => {
    const lines = groups.get(reason as CommentReason)?.map((row) => commentLine(row, reason));
    return lines ? [`\n${[heading, ...lines].map(commentOf).join('')}`] : [];
  });
  const introLines = [
    `Environment variables of ${stack}, one KEY=VALUE a line.`,
    'Quote a value with blanks or lines: \'as it is\', or "with \\n for a new line".',
    'Remove a line to delete its variable. Lines that begin with # are ignored.',
  ];
  const editableLines = (groups.get(undefined) ?? []).map((row) => `${dotenvLine(row)}\n`);
  return [...introLines.map(commentOf), '\n', ...editableLines, ...commentBlocks].join('').toWellFormed();
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

const entriesOf = (text: string) => readAssignments({ text, source: fileName }, dotenvFormat.readValue);

function commentReason(row: Variable): CommentReason | undefined {
  const owner = ownerOf(row);
  if (owner !== 'user') return owner;
  if (isPlaceholder(row)) return 'hidden';
  return canRoundTrip(row) ? undefined : 'unfit';
}

function canRoundTrip(row: Variable): boolean {
  // Reading throws for a name that dotenv cannot spell, such as `it's`.
  const entries = attempt(() => entriesOf(dotenvLine(row)));
  if (entries instanceof CliError) return false;
  const [entry, ...more] = entries;
  return more.length === 0 && entry?.key === row.key && entry.value === valueOrNull(row);
}

function dotenvLine(row: Variable): string {
  return dotenvFormat.lineText(row.key, textOrNullWord(row));
}

function commentLine(row: Variable, reason: string): string {
  if (reason === 'unfit') return row.key;
  return isPlaceholder(row) ? `${row.key}=` : dotenvLine(row);
}
