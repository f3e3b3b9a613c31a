import type { Presentation } from '../contract/command.ts';
import type { RecordType, Row } from '../contract/record.ts';
import type { Reply } from '../contract/reply.ts';
import { isObject } from '../contract/values/json.ts';
import { columnsOf } from './columns.ts';
import { valueAtPath } from './field-path.ts';
import type { RenderedResult, Result } from './result.ts';
import { tsvCellText } from './table/cell.ts';
import { messageLines } from './table/cell-width.ts';
import { hasDataFormat, type View } from './view.ts';

/** Throws `usage` for a `--jq` expression that jq cannot parse, before any request. */
export async function checkJq({ jq }: View): Promise<void> {
  if (jq !== undefined) await (await import('./formats/jq.ts')).checkExpression(jq);
}

/** Starts loading the code that draws a table on a terminal, so that it loads while the request is in progress. */
export function preloadTable(view: View): void {
  if (view.format === 'table' && view.terminal && !view.quiet) {
    void import('./table/grid-table.ts').then(({ preloadTableLibrary }) => preloadTableLibrary());
  }
}

export async function maskUnlessRevealed(result: Result, { reveal }: Pick<View, 'reveal'>): Promise<Result> {
  return reveal ? result : (await import('./masked.ts')).maskResult(result);
}

/** Returns the result as text. The code for each format is loaded on first use. Throws `usage` if `--jq` fails. */
export async function renderResult(result: Result, view: View): Promise<RenderedResult> {
  const shownResult = await maskUnlessRevealed(result, view);
  const { value, reply } = shownResult;
  if (hasDataFormat(view)) return renderData(value, reply, view);
  const presentation = presentAsRows(shownResult, view);
  switch (presentation.kind) {
    case 'table':
      return renderTable(presentation, view);
    case 'screen':
      return renderScreen(presentation, view);
    case 'detail':
      return renderDetail(presentation.record, presentation.row, view);
    case 'done':
      return view.quiet ? {} : await renderLines(presentation.lines, view);
    case 'value':
      return { data: `${presentation.text}\n` };
    case 'document': {
      const { jsonResult } = await import('./formats/json-result.ts');
      const { head, value: shownValue } = presentation;
      return { lines: head, ...(shownValue !== undefined && { data: jsonResult(shownValue, reply, view) }) };
    }
    case 'nothing':
      return {};
  }
}

async function renderData(value: unknown, reply: Reply | undefined, view: View): Promise<RenderedResult> {
  const { selectData, jsonResult, ndjsonResult } = await import('./formats/json-result.ts');
  if (view.jq !== undefined) {
    const { jqResult } = await import('./formats/jq.ts');
    return jqResult(selectData(value, reply, view), view.jq, view.terminal, reply?.record?.fields);
  }
  if (view.format === 'yaml') {
    const { yamlPieces } = await import('./formats/yaml-text.ts');
    return { data: yamlPieces(selectData(value, reply, view)) };
  }
  return { data: (view.format === 'json' ? jsonResult : ndjsonResult)(value, reply, view) };
}

type TablePresentation = Presentation & { readonly kind: 'table' };

async function renderTable(table: TablePresentation, view: View): Promise<RenderedResult> {
  const { record, below = [] } = table;
  const { format, quiet } = view;
  const rows = await arrangeRows(table, view);
  const notes = rows.length === 0 ? emptyNotes(table, view) : cutNotes(rows, table, view);
  const idView: View = { ...view, header: false, columns: [view.columns?.[0] ?? record.id] };
  if (format === 'csv') {
    const { csvRows } = await import('./formats/csv.ts');
    // The heading is printed even if there are no rows, because CSV readers rely on its field names.
    return { data: csvRows(record, rows, quiet ? idView : view), notes };
  }
  if (rows.length === 0) return { notes };
  if (quiet) return { data: `${tsvText(record, rows, { ...idView, format: 'tsv' })}\n` };
  if (format === 'md') {
    const { mdTable } = await import('./formats/md.ts');
    return { drawn: mdTable(record, rows, view), notes: [...notes, ...below] };
  }
  if (table.text && !view.columns && !view.asRows) return { lines: table.text(rows), notes };
  if (format === 'tsv') return { data: `${tsvText(record, rows, view)}\n`, notes: [...notes, ...below] };
  return drawRows(table, rows, view);
}

async function arrangeRows({ rows, record }: TablePresentation, view: View): Promise<readonly Row[]> {
  if (!view.where && view.sort === undefined) return rows.slice(0, view.limit);
  return (await import('./filter-sort.ts')).arrangeItems(rows, record.fields, view);
}

function tsvText(record: RecordType, rows: readonly Row[], view: View): string {
  const columns = columnsOf(record, view);
  const body = rows.map((row) =>
    columns.map(({ path, field }) => tsvCellText(field, valueAtPath(record.fields, row, path), view)).join('\t'),
  );
  return [...(view.header ? [columns.map(({ heading }) => heading).join('\t')] : []), ...body].join('\n');
}

async function drawRows(table: TablePresentation, rows: readonly Row[], view: View): Promise<RenderedResult> {
  const { drawTable } = await import('./table/table.ts');
  const { below = [], record, fitsScreen } = table;
  const height = (fitsScreen && view.limit === undefined && view.height) || Number.POSITIVE_INFINITY;
  for (let rowCount = Math.min(rows.length, height); ; rowCount--) {
    const drawn = await drawTable(record, rows.slice(0, rowCount), view);
    const notes = [
      ...(rowCount < rows.length
        ? [`${rowCount} of ${rows.length} ${record.plural}; --limit ${rows.length} shows all.`]
        : cutNotes(rows, table, view)),
      ...below,
    ];
    const noteLines = notes.flatMap((note) => messageLines(note, view.width || 80));
    if (rowCount === 1 || drawn.split('\n').length + noteLines.length < height) return { drawn, notes };
  }
}

async function renderScreen(screen: Presentation & { readonly kind: 'screen' }, view: View): Promise<RenderedResult> {
  const { format, quiet, columns, where, sort, limit } = view;
  // A screen has neither columns nor rows to choose, so a request to choose them gets a table.
  if (format !== 'table' || quiet || columns || where || sort !== undefined || limit !== undefined) {
    return renderTable({ ...screen, kind: 'table' }, view);
  }
  const { drawScreen } = await import('./table/screen.ts');
  return { drawn: await drawScreen(screen.blocks, view) };
}

async function renderLines(lines: readonly string[], view: View): Promise<RenderedResult> {
  if (view.format !== 'md' || lines.length === 0) return { lines };
  const { mdLines } = await import('./formats/md.ts');
  return { drawn: mdLines(lines, view) };
}

async function renderDetail(record: RecordType, row: Row, view: View): Promise<RenderedResult> {
  if (view.format === 'csv') return { data: (await import('./formats/csv.ts')).csvRecord(record, row, view) };
  if (view.format === 'md') return { drawn: (await import('./formats/md.ts')).mdDetail(record, row, view) };
  const text = await (await import('./table/detail.ts')).drawDetail(record, row, view);
  return view.format === 'tsv' ? { data: `${text}\n` } : { drawn: text };
}

function emptyNotes({ empty, record }: TablePresentation, { quiet, where }: View): readonly string[] {
  if (quiet || empty === '') return [];
  return [where ? `No ${record.plural} match --where.` : (empty ?? `No ${record.plural}.`)];
}

function cutNotes(shownRows: readonly Row[], { record, rows }: TablePresentation, view: View): readonly string[] {
  if (shownRows.length === rows.length || !view.terminal || view.quiet) return [];
  return [`${shownRows.length} of ${rows.length} ${record.plural}.`];
}

function presentAsRows({ presentation, reply, value }: Result, view: View): Presentation {
  const { kind } = presentation;
  // With `--quiet` a change prints nothing. In tab-separated output, a single value is already a row of one cell.
  const showsRows = kind === 'value' ? view.format === 'csv' : (kind === 'done' || kind === 'nothing') && !view.quiet;
  const record = reply?.record;
  if (!view.asRows || !showsRows || !record) return presentation;
  if (isObject(value)) return { kind: 'detail', record, row: value };
  const rows = Array.isArray(value) ? value.filter(isObject) : [];
  // `nothing` needs no note about missing rows, because its error gives the reason.
  return { kind: 'table', record, rows, ...(kind === 'nothing' && { empty: '' }) };
}
