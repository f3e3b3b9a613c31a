import type { Presentation, Row } from '../contract/command.ts';
import type { RecordType } from '../contract/record.ts';
import type { Reply } from '../contract/reply.ts';
import { arrange } from './arrange.ts';
import { safeLines, safeText } from './safe-text.ts';
import { identifierLines, tsvLines } from './tsv.ts';
import type { View } from './view.ts';

export interface Result {
  /** What the service sent, unwrapped: what JSON shows. */
  readonly value: unknown;
  readonly reply?: Reply | undefined;
  /** What everything but JSON shows. */
  readonly presentation: Presentation;
}

/** Whole texts for the two streams; each is empty or ends with a line feed. */
export interface Rendered {
  readonly out: string;
  readonly err: string;
}

/** Starts loading what a table on a terminal needs, while the request is under way. */
export function prepareOutput(view: View): void {
  if (view.format === 'table' && view.terminal && !view.quiet) {
    void import('./grid-table.ts').then(({ prepareGrid }) => prepareGrid());
  }
}

/** The result as text. Each form is loaded when it is asked for: a pipe needs no table. Throws usage for columns that the shown record does not have. */
export async function renderResult({ value, reply, presentation }: Result, view: View): Promise<Rendered> {
  if (view.format === 'json') return onlyOut((await import('./json-result.ts')).jsonResult(value, reply, view));
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

const silence: Rendered = { out: '', err: '' };

function onlyOut(text: string): Rendered {
  return { out: `${text}\n`, err: '' };
}

async function renderTable(table: Presentation & { readonly kind: 'table' }, view: View): Promise<Rendered> {
  const { record, rows } = table;
  if (rows.length === 0)
    return { out: '', err: view.quiet ? '' : `${safeText(table.empty ?? `No ${record.plural}.`)}\n` };
  const usual = view.limit === undefined ? record.order : undefined;
  const shown = arrange(rows, record.fields, { sort: view.sort ?? usual, limit: view.limit });
  if (view.quiet) return onlyOut(identifierLines(record, shown, view));
  const text = view.format === 'tsv' ? tsvLines(record, shown, view) : await drawn(record, shown, view);
  return { out: shown.length === 0 ? '' : `${text}\n`, err: cutNote(shown, table, view) + linesBelow(table) };
}

function linesBelow({ below = [] }: Presentation & { readonly kind: 'table' }): string {
  return below.map((line) => `${safeText(line)}\n`).join('');
}

async function renderDetail(
  { record, row }: Presentation & { readonly kind: 'detail' },
  view: View,
): Promise<Rendered> {
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

function cutNote(
  shown: readonly Row[],
  { record, rows }: Presentation & { readonly kind: 'table' },
  view: View,
): string {
  if (shown.length === rows.length || !view.terminal) return '';
  return `${shown.length} of ${rows.length} ${record.plural}.\n`;
}
