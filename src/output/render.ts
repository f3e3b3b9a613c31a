import type { Presentation } from '../contract/command.ts';
import { type RecordType, type Row, record } from '../contract/record.ts';
import type { Reply } from '../contract/reply.ts';
import { isObject } from '../contract/values/json-object.ts';
import { arrange } from './arrange.ts';
import { fieldsOf } from './field-path.ts';
import { identifierLines, tsvLines } from './formats/tsv.ts';
import { onlyData, onlyDrawn, onlyLines, type Printed, type Rendered, silence } from './rendered.ts';
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
  if (jq !== undefined) await (await import('./formats/jq-result.ts')).checkExpression(jq);
}

/** Starts loading what a table on a terminal needs, while the request is under way. */
export function prepareOutput(view: View): void {
  if (view.format === 'table' && view.terminal && !view.quiet) {
    void import('./table/grid-table.ts').then(({ prepareGrid }) => prepareGrid());
  }
}

/** The result as text. Each form is loaded when it is asked for: a pipe needs no table. Throws usage for columns that the shown record does not have. */
export async function renderResult(result: Result, view: View): Promise<Rendered> {
  const { value, reply } = result;
  if (showsData(view)) return renderData(value, reply, view);
  const presentation = asRows(result, view);
  switch (presentation.kind) {
    case 'table':
      return renderTable(presentation, view);
    case 'screen':
      return renderScreen(presentation, view);
    case 'detail':
      return renderDetail(presentation, view);
    case 'done':
      return view.quiet || presentation.lines.length === 0 ? silence : onlyLines(presentation.lines);
    case 'value':
      return onlyData(`${presentation.text}\n`);
    case 'document':
      return renderDocument(presentation, reply, view);
    case 'nothing':
      return silence;
  }
}

/** What the service sent, for programs. */
async function renderData(value: unknown, reply: Reply | undefined, view: View): Promise<Rendered> {
  const { chosenValue, jsonResult, ndjsonResult } = await import('./formats/json-result.ts');
  if (view.jq !== undefined) {
    const { jqResult } = await import('./formats/jq-result.ts');
    return jqResult(chosenValue(value, reply, view), view.jq, view.terminal);
  }
  if (view.format === 'yaml') {
    const { yamlPieces } = await import('./formats/yaml-text.ts');
    return onlyData(yamlPieces(chosenValue(value, reply, view)));
  }
  return onlyData(view.format === 'json' ? jsonResult(value, reply, view) : ndjsonResult(value, reply, view));
}

async function renderTable(table: Table, view: View): Promise<Rendered> {
  const { record, rows } = table;
  const shown = arrange(rows, record.fields, view);
  const note = shown.length === 0 ? emptyNote(table, view) : cutNote(shown, table, view);
  if (view.format === 'csv') return { ...onlyData(await csvText(record, shown, view)), err: note };
  if (shown.length === 0) return { ...silence, err: note };
  const isPlain = !view.quiet && !view.columns && !view.asRows;
  if (isPlain && table.text) return { ...onlyLines(table.text(shown)), err: note };
  if (view.quiet) return onlyData(`${identifierLines(record, shown, view)}\n`);
  if (table.fitsScreen && view.format === 'table' && view.height && view.limit === undefined) {
    return drawFitting(table, shown, view, view.height);
  }
  return { out: await rowsText(record, shown, view), err: [...note, ...(table.below ?? [])] };
}

/** The first rows, as many as fit above their note and the prompt of the shell. */
async function drawFitting(table: Table, rows: readonly Row[], view: View, height: number): Promise<Rendered> {
  const { drawTable } = await import('./table/table.ts');
  const { below = [], record } = table;
  const notCut = cutNote(rows, table, view);
  for (let count = Math.min(rows.length, height); ; count--) {
    const text = await drawTable(record, rows.slice(0, count), view);
    const isCut = count < rows.length;
    const note = isCut ? [`${count} of ${rows.length} ${record.plural}; --limit ${rows.length} shows all.`] : notCut;
    const err = [...note, ...below];
    if (count === 1 || text.split('\n').length + err.length < height) return { ...onlyDrawn(text), err };
  }
}

/** Whoever chooses columns or rows wants a table. */
async function renderScreen(screen: Presentation & { readonly kind: 'screen' }, view: View): Promise<Rendered> {
  const { format, quiet, columns, where, sort, limit } = view;
  if (format !== 'table' || quiet || columns || where || sort !== undefined || limit !== undefined) {
    return renderTable({ ...screen, kind: 'table' }, view);
  }
  const { drawScreen } = await import('./table/screen.ts');
  return onlyDrawn(await drawScreen(screen.blocks, view));
}

async function rowsText(record: RecordType, rows: readonly Row[], view: View): Promise<Printed> {
  if (rows.length === 0) return silence.out;
  if (view.format === 'tsv') return onlyData(`${tsvLines(record, rows, view)}\n`).out;
  const { drawTable } = await import('./table/table.ts');
  return onlyDrawn(await drawTable(record, rows, view)).out;
}

/** With its heading also when no row follows: what reads CSV counts on the names. */
async function csvText(record: RecordType, rows: readonly Row[], view: View): Promise<string> {
  const { csvIdentifiers, csvRows } = await import('./formats/csv.ts');
  return view.quiet ? csvIdentifiers(record, rows, view) : csvRows(record, rows, view);
}

async function renderDetail(
  { record, row }: Presentation & { readonly kind: 'detail' },
  view: View,
): Promise<Rendered> {
  if (view.format === 'csv') return onlyData((await import('./formats/csv.ts')).csvRecord(record, row, view));
  const { detailLines } = await import('./table/detail.ts');
  const text = await detailLines(record, row, view);
  return view.format === 'tsv' ? onlyData(`${text}\n`) : onlyDrawn(text);
}

async function renderDocument(
  { head, value }: Presentation & { readonly kind: 'document' },
  reply: Reply | undefined,
  view: View,
): Promise<Rendered> {
  const { jsonResult } = await import('./formats/json-result.ts');
  return { out: { lines: head, ...(value !== undefined && { data: jsonResult(value, reply, view) }) }, err: [] };
}

type Table = Presentation & { readonly kind: 'table' };

function emptyNote({ empty, record }: Table, { quiet, where }: View): readonly string[] {
  if (quiet) return [];
  return [where ? `No ${record.plural} match --where.` : (empty ?? `No ${record.plural}.`)];
}

function cutNote(shown: readonly Row[], { record, rows }: Table, view: View): readonly string[] {
  if (shown.length === rows.length || !view.terminal || view.quiet) return [];
  return [`${shown.length} of ${rows.length} ${record.plural}.`];
}

/** What was done, or a bare value, as the rows that `--output csv` and `tsv` ask for; what has rows already as it is. */
function asRows({ presentation, reply, value }: Result, view: View): Presentation {
  const rowsOf = reply && recordOf(reply);
  if (!rowsOf || !isForRows(presentation, view)) return presentation;
  if (isObject(value)) return { kind: 'detail', record: rowsOf, row: value };
  if (value === undefined && !reply.record) return { kind: 'detail', record: rowsOf, row: { ok: true } };
  return { kind: 'table', record: rowsOf, rows: Array.isArray(value) ? value.filter(isObject) : [] };
}

/** Changes say nothing with --quiet, and a bare value is a cell to a tab-separated pipe as it is. */
function isForRows({ kind }: Presentation, { asRows, format, quiet }: View): boolean {
  if (!asRows) return false;
  return kind === 'value' ? format === 'csv' : (kind === 'done' || kind === 'nothing') && !quiet;
}

function recordOf(reply: Reply): RecordType | undefined {
  const fields = fieldsOf(reply);
  return reply.record ?? (fields && record('response', fields, Object.keys(fields)));
}
