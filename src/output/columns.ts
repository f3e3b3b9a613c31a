import type { Field, Fields } from '../contract/field.ts';
import type { RecordType } from '../contract/record.ts';
import type { Reply } from '../contract/reply.ts';
import { Problem } from '../problems/problem.ts';
import { fieldAt, fieldsOf, knownPaths } from './field-path.ts';
import { showsData, type View } from './view.ts';

export interface Column {
  /** Field name, dotted below groups. */
  readonly path: string;
  readonly heading: string;
  readonly field: Field;
  /** Numbers stand on the right and are never cut: half a number is a wrong number. */
  readonly right: boolean;
  /** What the next command needs; never cut, never dropped. */
  readonly identifier: boolean;
}

/** The columns asked for, else those of the record; throws usage for an unknown one. */
export function columnsOf(record: RecordType, view: View): readonly Column[] {
  return (view.columns ?? record.columns).map((path, index) => {
    const field = fieldAt(record.fields, path) ?? unknown('column', path, record.fields);
    const last = path.slice(path.lastIndexOf('.') + 1);
    return {
      path,
      heading: headingOf(path, view),
      field,
      right: field.kind === 'integer' && !field.meanings,
      identifier: index === 0 || ['uid', 'id', 'key'].includes(last),
    };
  });
}

/** `db_type` is `DB TYPE`. For people a moment is relative and a size has its unit: how they are written is no part of the name. */
function headingOf(path: string, { format, terminal }: View): string {
  const name = format === 'table' && terminal ? path.replace(/_(?:iso|bytes)$/, '') : path;
  return name.replaceAll(/[._]/g, ' ').toUpperCase();
}

/** Refuses, before anything is sent, what the result cannot be asked for: unknown fields, list flags on other things. */
export function checkView(reply: Reply | undefined, view: View): void {
  refuseListFlags(reply, view);
  refuseWrongFormat(view);
  const fields = reply && fieldsOf(reply);
  if (!fields) return;
  checkPaths('field', view.fields, fields);
  checkPaths('column', view.columns, fields);
  checkPaths('field', view.sort === undefined ? [] : [sortPath(view.sort)], fields);
}

/** `-started_at` without its sign. */
export function sortPath(sort: string): string {
  return sort.startsWith('-') ? sort.slice(1) : sort;
}

const lists = ['page', 'rows', 'opaque'];

function refuseListFlags(reply: Reply | undefined, view: View): void {
  if (reply && lists.includes(reply.envelope)) return;
  const given = [
    view.columns && '--columns',
    view.sort !== undefined && '--sort',
    view.limit !== undefined && '--limit',
    view.header !== undefined && headerFlag(view.header),
  ].find((name) => name);
  if (given) throw new Problem('usage', `${given} works on lists only; leave it out`, { without: given });
}

function refuseWrongFormat(view: View): void {
  const { format, columns, header, csvRaw } = view;
  if (csvRaw && format !== 'csv') {
    const mistake = `--csv-raw shapes CSV, and the output is ${format}`;
    throw showsData(view)
      ? new Problem('usage', `${mistake}; leave it out`, { without: '--csv-raw' })
      : new Problem('usage', mistake, { again: '--output csv' });
  }
  if (header !== undefined && showsData(view)) {
    const flag = headerFlag(header);
    throw new Problem('usage', `${flag} shapes tables, and the output is ${format}; leave it out`, { without: flag });
  }
  if (columns && showsData(view)) {
    throw new Problem('usage', `--columns shapes tables, and the output is ${format}`, {
      instead: { word: '--columns', by: '--fields' },
    });
  }
}

function headerFlag(header: boolean): string {
  return header ? '--header' : '--no-header';
}

function checkPaths(what: string, paths: readonly string[] | undefined, fields: Fields): void {
  const wrong = paths?.find((path) => !fieldAt(fields, path));
  if (wrong !== undefined) unknown(what, wrong, fields);
}

function unknown(what: string, path: string, fields: Fields): never {
  throw new Problem('usage', `unknown ${what} "${path}"`, { hint: `known ${what}s: ${knownPaths(fields).join(', ')}` });
}
