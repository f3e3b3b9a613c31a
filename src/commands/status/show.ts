import {
  type Audience,
  colouredState,
  type Presentation,
  type ScreenBlock,
  type ScreenText,
} from '../../contract/command.ts';
import type { Summary } from '../../contract/plan.ts';
import { groupBy } from '../../contract/values/group-by.ts';
import { ageText, msOf } from '../../contract/values/time.ts';
import { hasFailed } from '../../resources/deployment.ts';
import { serverHealthText } from '../../resources/server.ts';
import { StackLine, type StackStatus, type Statuses, StatusLine, stackTitle } from './record.ts';
import { isBadHealth, listedParts, type StatusSection, statusFieldOf, statusParts } from './sections.ts';

export function presentStatus(value: Statuses, audience: Audience): Presentation {
  if ('uid' in value) {
    const next = audience.terminal ? nextStep(value) : undefined;
    return { kind: 'screen', record: StatusLine, rows: linesWithBusy(value), blocks: screenBlocks(value), next };
  }
  return {
    kind: 'table',
    record: StackLine,
    rows: stackLines(value, audience),
    empty: 'No stack.',
    fitsScreen: true,
    // On a terminal, unread and unchecked sections are named once for all stacks.
    ...(audience.terminal && { below: [...unreadLines(value), ...uncheckedLines(value)] }),
  };
}

function nextStep({ uid: stack_id, problems, deployments, servers, backups }: StackStatus): Summary['next'] {
  if (problems.length === 0) return undefined;
  const lastFinished = deployments?.find(({ finished_at }) => finished_at);
  const server = servers?.find((row) => isBadHealth(serverHealthText(row)));
  const chooseCommand = () => {
    if (lastFinished && hasFailed(lastFinished)) return { path: 'deployment get', operands: [String(lastFinished.id)] };
    if (server) return { path: 'server get', operands: [server.name] };
    return { path: backups?.some(({ state }) => state !== 'ok') ? 'backup check' : 'stack get' };
  };
  return { about: 'next', command: [{ ...chooseCommand(), stack_id }] };
}

function screenBlocks(status: StackStatus): readonly ScreenBlock[] {
  const { not_checked, errors } = status;
  const nowMs = msOf(status.checked_at);
  const ageOf = (at: string | null) =>
    msOf(at) === 0 ? '?' : ageText(Math.max(0, Math.trunc((nowMs - msOf(at)) / 1000)));
  const stackCells = [
    stackTitle(status),
    colouredState(status.status ?? 'unknown'),
    ...stackFaults(status).map(({ name, state }) => ({ text: `${name} ${state}`, state: 'problem' })),
    ...(status.busy.length > 0 ? ['busy'] : []),
  ];
  return [
    ...block('Stack', [stackCells]),
    ...listedParts.flatMap((name) => {
      const part = statusParts[name];
      const rows: readonly unknown[] | null = status[statusFieldOf(name)];
      if (!rows) return [];
      const cells = rows.flatMap((row) => part.cellsOf?.(row, ageOf) ?? []);
      return part.blocksOf?.(rows, status, ageOf) ?? block(part.label, cells);
    }),
    ...(not_checked.length > 0 ? block('Not checked', [[not_checked.join(', ')]]) : []),
    ...(errors.length > 0 ? block('Not read', [[errors.flatMap(unreadTexts)]]) : []),
  ];
}

const maxBlockRows = 5;

function block(label: string, rows: ScreenBlock['rows']): readonly ScreenBlock[] {
  if (rows.length === 0) return [{ label, rows: [['none']] }];
  if (rows.length <= maxBlockRows) return [{ label, rows }];
  return [{ label, rows: [...rows.slice(0, maxBlockRows), [`and ${rows.length - maxBlockRows} more`]] }];
}

function stackFaults({ health, maintenance_mode }: StackStatus): readonly { name: string; state: string }[] {
  return [
    ...(health !== null && isBadHealth(health) ? [{ name: 'health', state: health }] : []),
    ...(maintenance_mode ? [{ name: 'maintenance mode', state: 'on' }] : []),
  ];
}

function unreadTexts({ section, code, message }: StackStatus['errors'][number], index: number): readonly ScreenText[] {
  const scope = section in statusParts ? statusParts[section as StatusSection].list.scope : undefined;
  const why = code === 'forbidden' && scope ? `no ${scope} scope` : message;
  return [`${index === 0 ? '' : ', '}${section} (`, { text: why, state: 'unreadable' }, ')'];
}

/** Returns a line for the stack, each of its resources, and each section that was not checked or not read. */
export function statusLines(status: StackStatus) {
  const makeLine = (section: string, name: string, state: string, since: string | null = null) => {
    return { section, name, state, since };
  };
  return [
    makeLine('stack', stackTitle(status), status.status ?? 'unknown'),
    ...stackFaults(status).map(({ name, state }) => makeLine('stack', name, state)),
    ...listedParts.flatMap((name) => {
      const rows: readonly unknown[] = status[statusFieldOf(name)] ?? [];
      return rows.map((row) => makeLine(name, ...statusParts[name].lineOf(row, status)));
    }),
    ...status.not_checked.map((section) => makeLine(section, '-', 'not checked')),
    ...status.errors.map(({ section, message }) => makeLine(section, '-', `unreadable: ${message}`)),
  ];
}

function linesWithBusy(status: StackStatus): readonly StatusLine[] {
  const busyLines = status.busy.map((state) => ({ section: 'stack', name: 'busy', state, since: null }));
  // The first line is the state of the stack.
  return statusLines(status).toSpliced(1, 0, ...busyLines);
}

function stackLines(statuses: readonly StackStatus[], { terminal }: Audience): readonly StatusLine[] {
  return statuses.map((status) => ({
    section: 'stack',
    uid: status.uid,
    name: status.name ?? status.uid,
    environment: status.environment,
    state: status.status ?? 'unknown',
    commit: status.live?.git_hash || null,
    since: status.live?.finished_at ?? status.live?.started_at ?? null,
    problems:
      [
        ...status.problems,
        ...status.errors.map(({ section }) => `${section} unreadable`),
        ...(status.busy.length > 0 ? [`busy: ${status.busy.join(', ')}`] : []),
        ...(terminal ? [] : uncheckedLines([status])),
      ].join(', ') || null,
  }));
}

function uncheckedLines(statuses: readonly StackStatus[]): readonly string[] {
  const sections = [...new Set(statuses.flatMap(({ not_checked }) => not_checked))];
  return sections.length > 0 ? [`not checked: ${sections.join(', ')}`] : [];
}

/** Returns a line for each reason why sections were not read: `blog/staging: servers not read: no response`. */
export function unreadLines(statuses: readonly StackStatus[]): readonly string[] {
  const errors = statuses.flatMap((status) => status.errors.map((error) => ({ ...error, title: stackTitle(status) })));
  return [...groupBy(errors, ({ message }) => message)].map(([message, sameErrors]) => {
    const titles = new Set(sameErrors.map(({ title }) => title));
    const sections = new Set(sameErrors.map(({ section }) => section));
    return `${[...titles].join(', ')}: ${[...sections].join(', ')} not read: ${message}`;
  });
}
