import type { Context, Presentation } from '../../contract/command.ts';
import { flag, group, instant, integer, many, nullable, oneOf, secret, text } from '../../contract/field.ts';
import { type RecordOf, record } from '../../contract/record.ts';
import { mask, maskMembers } from '../../contract/values/text.ts';
import { sectionNames } from '../../state/entry.ts';
import { differenceReasons } from '../../state/lock.ts';
import { actionCountTexts } from '../env/change-set.ts';
import { displayValue } from '../env/variable.ts';
import { type Difference, isWrite, type PlanAction, planActions, requestedText, type UnnamedItem } from './compare.ts';
import type { ComparedStack } from './compare-file.ts';

/** The fields that identify an entry in the results of all commands. */
export const pathFields = {
  stack: text('The stack, as the file spells it.'),
  path: text('Its path, such as env.KEY.'),
};

const sourceFields = {
  file: text('The file.'),
  line: integer('Line number.'),
  stack: nullable(text('The stack whose overlay it is; null for the base.')),
};
const source = nullable(group(sourceFields, 'Where its entry stands.'));
const changeFields = {
  path: text('Its path, such as env.KEY or settings.KEY.'),
  action: oneOf(planActions, 'What `apply` does.'),
  why: nullable(oneOf(differenceReasons, 'Why it differs from the file.')),
  before: nullable(secret(text('Value of the service; `***` for a secret.'))),
  after: nullable(secret(text('Value of the file; `***` for a secret.'))),
  changed_at: nullable(instant('When the service changed it.', { heading: 'changed' })),
  reason: nullable(text('Why it is left alone.')),
};

// `shownValues` masks the secrets, because a row does not tell which values are secret.
const alreadyMasked = { isSecret: () => false } as const;

/** A row of a plan in the table. In JSON output each stack holds its rows, so those rows have no stack name. */
export const PlanRow = record(
  'difference',
  { stack: pathFields.stack, ...changeFields },
  ['stack', 'path', 'action', 'why', 'before', 'after', 'changed_at', 'reason'],
  { ...alreadyMasked, id: 'path' },
);
type PlanRow = RecordOf<typeof PlanRow>;

function byAction<Value>(valueFor: (action: PlanAction) => Value) {
  return Object.fromEntries(planActions.map((action) => [action, valueFor(action)])) as Record<PlanAction, Value>;
}

const countFields = byAction((action) => integer(`Number of rows with ${action}.`));
const stackFields = {
  stack: pathFields.stack,
  complete: flag('Whether all sections could be read.'),
  not_checked: many(oneOf(sectionNames, 'Section.'), 'Sections that could not be read.'),
  counts: group(countFields, 'Rows by action.'),
  changes: many(group({ ...changeFields, source }, 'One path.'), 'Deletions first, then by section.'),
};

export const StatePlan = record(
  'plan',
  {
    version: integer('Version of this form.'),
    stacks: many(group(stackFields, 'One stack.'), 'In the order of the file.'),
    requests: integer('Number of changes that `apply` sends.'),
  },
  ['version', 'stacks', 'requests'],
  alreadyMasked,
);
export type StatePlan = RecordOf<typeof StatePlan>;
type PlannedStack = StatePlan['stacks'][number];
type PlannedRow = PlannedStack['changes'][number];

type BeforeAndAfter = { readonly before?: unknown; readonly after?: unknown };
type Secrecy = Pick<Difference, 'isMasked' | 'wasReference'>;
type Revealing = Pick<Context, 'reveal'>;

/** Returns the values before and after a change. Secrets are masked without `--reveal`. */
export function shownValues<V extends BeforeAndAfter>(values: V, secrecy: Secrecy, { reveal }: Revealing): V {
  const { isMasked, wasReference } = secrecy;
  if (reveal || !(isMasked || wasReference)) return values;
  const areBothSecret = isMasked || values.after === values.before;
  return areBothSecret ? maskMembers(values) : { ...values, ...maskMembers({ before: values.before }) };
}

function plannedRow(one: Difference | UnnamedItem, context: Revealing): PlannedRow {
  const { path, action, why, reason, item, entry } = one;
  const before = item?.isHidden ? mask : (item?.value ?? null);
  const values = shownValues({ before, after: one.entry ? requestedText(one) : null }, one, context);
  return { path, action, why, ...values, changed_at: item?.changed_at ?? null, reason, source: entry?.source ?? null };
}

interface ShownStack extends Pick<ComparedStack, 'stack' | 'unread'> {
  readonly differences: readonly (Difference | UnnamedItem)[];
}

function plannedStack({ stack, unread, differences }: ShownStack, context: Revealing): PlannedStack {
  const not_checked = unread.map(({ section }) => section.name);
  const changes = differences.map((one) => plannedRow(one, context));
  return {
    stack: stack.name,
    complete: not_checked.length === 0,
    not_checked,
    counts: byAction((action) => changes.filter((row) => row.action === action).length),
    changes: changes.toSorted((a, b) => Number(b.action === 'delete') - Number(a.action === 'delete')),
  };
}

export function statePlan(shownStacks: readonly ShownStack[], context: Revealing): StatePlan {
  const stacks = shownStacks.map((one) => plannedStack(one, context));
  return { version: 1, stacks, requests: stacks.flatMap(({ changes }) => changes.filter(isWrite)).length };
}

export function presentPlan(plan: StatePlan, emptyText: string): Presentation {
  return {
    kind: 'table',
    record: PlanRow,
    rows: differingRows(plan),
    empty: emptyText,
    text: (shown) => planLines(plan, shown as readonly PlanRow[]),
  };
}

function differingRows({ stacks }: StatePlan): readonly PlanRow[] {
  return stacks.flatMap(({ stack, changes }) =>
    changes.filter(({ action }) => action !== 'unchanged').map((row) => ({ stack, ...row })),
  );
}

/** Returns rows, by default all that differ, as lines below the names of their stacks, and a line that counts all. */
export function planLines(plan: StatePlan, rows = differingRows(plan)): readonly string[] {
  const { stacks, requests } = plan;
  const stackLines = stacks.flatMap(({ stack, counts: { unchanged } }) => {
    const lines = rows.filter((row) => row.stack === stack).map((row) => `  ${planLine(row)}`);
    const unchangedLines = unchanged > 0 ? [`  = ${unchanged} unchanged`] : [];
    return lines.length > 0 ? [stack, ...lines, ...unchangedLines] : [];
  });
  if (requests === 0) return stackLines;
  const requestsText = requests === 1 ? 'one request' : `${requests} requests`;
  const actions = stacks.flatMap(({ changes }) => changes.map(({ action }) => action));
  return [...stackLines, `${actionCountTexts(actions).join(', ')} (${requestsText})`];
}

/** Returns a line such as `~ env.LOG_LEVEL  info -> debug  (drifted, changed 2026-05-04T11:40:00Z)`. */
function planLine({ path, action, why, before, after, changed_at, reason }: PlanRow): string {
  const [beforeText, afterText] = [before, after].map(shownText);
  const details = [why ?? [], changed_at && why && why !== 'edited' ? `changed ${changed_at}` : []].flat();
  const detailsText = details.length > 0 ? `  (${details.join(', ')})` : '';
  if (action === 'create') return `+ ${path}  ${afterText}${detailsText}`;
  if (action === 'update') return `~ ${path}  ${beforeText} -> ${afterText}${detailsText}`;
  if (action === 'delete') return `- ${path}  ${beforeText}${detailsText}`;
  return `! ${path}  ${action === 'busy' ? 'busy' : 'skipped'}: ${reason}${detailsText}`;
}

/** Returns a value on one line, shortened if it is long; `-` for null. */
export function shownText(value: string | null): string {
  return value === null ? '-' : displayValue(value, false).replaceAll('\n', '\\n');
}
