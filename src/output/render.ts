import type { Presentation, Row } from '../contract/command.ts';
import type { RecordType } from '../contract/record.ts';
import type { Reply } from '../contract/reply.ts';
import { arrange } from './arrange.ts';
import { onlyOut, type Rendered, silence } from './rendered.ts';
import { safeLines, safeText } from './safe-text.ts';
import { identifierLines, tsvLines } from './tsv.ts';
import { showsData, type View } from './view.ts';

export interface Result {
  /** What the service sent, unwrapped: what JSON, YAML and jq show. */
  readonly value: unknown;
  readonly reply?: Reply | undefined;
  /** What everything else shows. */
  readonly presentation: Presentation;
}

/** Refuses, before anything is sent, an expression that jq cannot read. */
export async function checkJq({ jq }: View): Promise<void> {
  if (jq !== undefined) await (await import('./jq-result.ts')).checkExpression(jq);
}

/** Starts loading what a table on a terminal needs, while the request is under way. */
export function prepareOutput(view: View): void {
  if (view.format === 'table' && view.terminal && !view.quiet) {
    void import('./grid-table.ts').then(({ prepareGrid }) => prepareGrid());
  }
}

/** The result as text. Each form is loaded when it is asked for: a pipe needs no table. Throws usage for columns that the shown record does not have. */
export async function renderResult({ value, reply, presentation }: Result, view: View): Promise<Rendered> {
  if (showsData(view)) return renderData(value, reply, view);
  switch (presentation.kind) {
    case 'table':
      return renderTable(presentation, view);
    case 'detail':
      return renderDetail(presentation, view);
    case 'done':
      return view.quiet || presentation.lines.length === 0
        ? silence
        : onlyOut(presentation.lines.map(safeText).join('\n'));
    case 'value':
      return onlyOut(view.terminal ? safeLines(presentation.text) : presentation.text);
    case 'document':
      return renderDocument(presentation, reply, view);
    case 'nothing':
      return silence;
  }
}

/** What the service sent, for programs. */
async function renderData(value: unknown, reply: Reply | undefined, view: View): Promise<Rendered> {
  const { chosenValue, jsonResult, ndjsonResult } = await import('./json-result.ts');
  if (view.jq !== undefined) {
    const { jqResult } = await import('./jq-result.ts');
    return jqResult(chosenValue(value, reply, view), view.jq, view.terminal);
  }
  if (view.format === 'yaml')
    return onlyOut(await (await import('./yaml-text.ts')).yamlText(chosenValue(value, reply, view)));
  if (view.format === 'json') return onlyOut(jsonResult(value, reply, view));
  return { out: ndjsonResult(value, reply, view), err: '' };
}

async function renderTable(table: Table, view: View): Promise<Rendered> {
  const { record, rows } = table;
  const usual = view.limit === undefined ? record.order : undefined;
  const shown = arrange(rows, record.fields, { sort: view.sort ?? usual, limit: view.limit });
  const note = rows.length === 0 ? emptyNote(table, view) : cutNote(shown, table, view);
  if (view.format === 'csv') return { out: await csvText(record, shown, view), err: note };
  if (rows.length === 0) return { out: '', err: note };
  if (view.quiet) return onlyOut(identifierLines(record, shown, view));
  const text = view.format === 'tsv' ? tsvLines(record, shown, view) : await drawn(record, shown, view);
  return { out: shown.length === 0 ? '' : `${text}\n`, err: note + linesBelow(table) };
}

function linesBelow({ below = [] }: Table): string {
  return below.map((line) => `${safeText(line)}\n`).join('');
}

/** With its heading also when no row follows: what reads CSV counts on the names. */
async function csvText(record: RecordType, rows: readonly Row[], view: View): Promise<string> {
  const { csvIdentifiers, csvRows } = await import('./csv.ts');
  return view.quiet ? csvIdentifiers(record, rows, view) : csvRows(record, rows, view);
}

async function renderDetail(
  { record, row }: Presentation & { readonly kind: 'detail' },
  view: View,
): Promise<Rendered> {
  if (view.format === 'csv') return { out: (await import('./csv.ts')).csvRecord(record, row, view), err: '' };
  const { detailLines } = await import('./detail.ts');
  return onlyOut(await detailLines(record, row, view));
}

async function drawn(record: RecordType, rows: readonly Row[], view: View): Promise<string> {
  const { drawTable } = await import('./table.ts');
  return drawTable(record, rows, view);
}

async function renderDocument(
  { head, value }: Presentation & { readonly kind: 'document' },
  reply: Reply | undefined,
  view: View,
): Promise<Rendered> {
  const { jsonResult } = await import('./json-result.ts');
  const parts = [...head.map(safeText), ...(value === undefined ? [] : [jsonResult(value, reply, view)])];
  return parts.length === 0 ? silence : onlyOut(parts.join('\n'));
}

type Table = Presentation & { readonly kind: 'table' };

function emptyNote({ empty, record }: Table, { quiet }: View): string {
  return quiet ? '' : `${safeText(empty ?? `No ${record.plural}.`)}\n`;
}

function cutNote(shown: readonly Row[], { record, rows }: Table, view: View): string {
  if (shown.length === rows.length || !view.terminal || view.quiet) return '';
  return `${shown.length} of ${rows.length} ${record.plural}.\n`;
}
