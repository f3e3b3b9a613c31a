import { type Field, type Fields, holdsSecret } from '../contract/field.ts';
import { filterRecord, type Output } from '../contract/metadata.ts';
import type { RecordType, Row } from '../contract/record.ts';
import { CliError, type Correction } from '../errors/cli-error.ts';
import { fieldAt, knownPaths, sortPath, wordsSuffix } from './field-path.ts';
import { showsData, type View } from './view.ts';

export type Column = ReturnType<typeof columnsOf>[number];

const neverCut: ReadonlySet<string> = new Set(['uid', 'id', 'key', 'action', 'address', 'private_ip', 'reference']);

/** The requested columns, else those of the record. The rare column needs a row with it. Throws usage. */
export function columnsOf(record: RecordType, view: View, rows: readonly Row[] = []) {
  const isShown = (path: string) => path !== record.rare || rows.some((row) => row[path] === true);
  return (view.columns ?? record.columns.filter(isShown)).map((path, index) => {
    const field = fieldAt(record.fields, path) as Field;
    const last = path.slice(path.lastIndexOf('.') + 1);
    return {
      /** Field name, dotted below groups. */
      path,
      // Scripts get `DB TYPE` for `db_type`, so the field can be derived from it.
      heading: view.format === 'tsv' ? path.replaceAll(/[._]/g, ' ').toUpperCase() : headingOf(record.fields, path),
      field,
      /** Numbers are on the right and never cut: part of a number is a wrong number. */
      right: field.kind === 'integer' && !field.meanings,
      /** Part of an ID, an address or an action type would be another one. */
      whole: neverCut.has(last) || (index === 0 && !isName(path)),
      /** The first column, and the ID of rows without a name, are never dropped. */
      required: index === 0 || (path === record.id && !record.columns.some(isName)),
      /** Wraps onto further lines instead of being cut. */
      wraps: path === record.wraps,
    };
  });
}

/** True for a column whose values commands accept in place of an ID. */
export function isName(path: string): boolean {
  return ['name', 'username', 'friendly_name', 'email'].includes(path);
}

type Chosen = Pick<
  View,
  'format' | 'columns' | 'chosenBy' | 'fields' | 'where' | 'sort' | 'limit' | 'header' | 'whole' | 'reveal' | 'asRows'
>;

/** Refuses unknown fields, and list flags for a single result, before any request. Returns full field names. */
export async function checkView<V extends Chosen>(
  output: Output,
  view: V,
  revealed: readonly string[] = [],
): Promise<V> {
  refuseRows(output, view);
  refuseListFlags(output, view);
  const record = output.reply?.record;
  const sortable = showsData(view) || !output.table ? record : output.table;
  const filtered = filterRecord(output) ?? sortable;
  const { fields, columns, sort, where } = view;
  const named: V = {
    ...view,
    ...(fields && record && { fields: fields.map((path) => nameOf('field', path, record)) }),
    ...(columns && sortable && { columns: columns.map((path) => nameOf('column', path, sortable)) }),
    ...(sort !== undefined &&
      sortable && { sort: sort.replace(sortPath(sort), (path) => nameOf('field', path, sortable)) }),
    ...(where && filtered && { where: where.map((one) => ({ ...one, path: nameOf('field', one.path, filtered) })) }),
  };
  if (filtered && named.where) {
    const { checkFilter } = await import('./filter-sort.ts');
    for (const filter of named.where) checkFilter(filter, filtered.fields);
  }
  if (view.reveal || !sortable || !filtered) return named;
  refuseMasked('--where', named.where?.map(({ path }) => path) ?? [], filtered.fields, revealed);
  refuseMasked('--sort', named.sort === undefined ? [] : [sortPath(named.sort)], sortable.fields, revealed);
  return named;
}

/** The path of a field, which may be typed in capitals or as the heading of its column. */
export function findFieldPath(typed: string, record: RecordType): string | undefined {
  const { fields, columns } = record;
  const path = typed.toLowerCase();
  const exact = [typed, path].find((one) => fieldAt(fields, one));
  if (exact !== undefined) return exact;
  const heading = path.replaceAll(/[_-]/g, ' ').toUpperCase();
  const named = [...columns, ...knownPaths(fields)].find((one) => headingOf(fields, one) === heading);
  if (named !== undefined || !path.endsWith(wordsSuffix)) return named;
  const words = findFieldPath(path.slice(0, -wordsSuffix.length), record) + wordsSuffix;
  return fieldAt(fields, words) && words;
}

function nameOf(what: string, typed: string, record: RecordType): string {
  const path = findFieldPath(typed, record);
  if (path !== undefined) return path;
  throw new CliError('usage', `unknown ${what} "${typed}"`, { unknownField: { typed, record } });
}

/** A filter or a sort order by a secret would reveal it. */
function refuseMasked(flag: string, paths: readonly string[], fields: Fields, revealed: readonly string[]): void {
  for (const path of paths) {
    const [name = ''] = path.split('.');
    const field = fieldAt(fields, path);
    if (revealed.includes(name) || !field || !holdsSecret(field)) continue;
    throw new CliError('usage', `${flag} ${path}: the field is masked`, { correction: { add: ['--reveal'] } });
  }
}

const asJson: Correction = { replace: { word: '--output', by: [] }, add: ['--json'] };

function refuseRows({ reply, table }: Output, { asRows, format }: Chosen): void {
  // In tab-separated output a value alone is a row of one cell.
  const hasRows = table ?? (reply ? reply.record : format === 'tsv');
  if (!asRows || hasRows) return;
  const message = `--output ${format} is not supported here: the command returns no rows`;
  throw new CliError('usage', message, { correction: asJson });
}

function refuseListFlags(output: Output, view: Chosen): void {
  const hasRows = isList(output, view);
  // An undeclared reply may be a list.
  const mayBeList = hasRows || (output.reply?.envelope === 'opaque' && !output.table);
  const flags = [
    [view.chosenBy ?? '--fields', view.columns, hasRows],
    ['--where', view.where, mayBeList || filterRecord(output) !== undefined],
    ['--sort', view.sort, mayBeList],
    ['--limit', view.limit, mayBeList],
    ['--no-trunc', view.whole, hasRows],
    [view.header ? '--header' : '--no-header', view.header, hasRows && !showsData(view)],
  ] as const;
  const unused = flags.flatMap(([flag, value, applies]) => (value === undefined || applies ? [] : [flag]));
  const [first] = unused;
  if (first === undefined) return;
  if (first === '--fields' && output.reply) {
    throw new CliError('usage', '--fields does not apply: it needs a list or JSON', { correction: asJson });
  }
  const replace = unused.map((word) => ({ word, by: [] }));
  throw new CliError('usage', `${first} does not apply: ${whyNot(output, view)}`, { correction: { replace } });
}

function whyNot(output: Output, view: Chosen): string {
  if (showsData(view) && (output.table || isList(output, view))) return `the output is ${view.format}, not a table`;
  return output.kind === 'change' ? 'this command prints a sentence, not rows' : 'the output is not a list';
}

function isList({ kind, reply }: Output, view: Chosen): boolean {
  // The program runs for every row, so hidden rows would mislead.
  if (kind === 'program') return false;
  const isListed = ['page', 'rows'].includes(reply?.envelope ?? '');
  if (showsData(view)) return isListed || reply?.envelope === 'opaque';
  return kind === 'rows' || (kind === 'change' && isListed && view.asRows === true);
}

/** Parts of wire names with another spelling in messages. */
const spellings: Readonly<Record<string, string>> = {
  db: 'database',
  dns: 'DNS',
  ext: 'external',
  fqdn: 'FQDN',
  id: 'ID',
  int: 'internal',
  ip: 'IP',
  ipv4: 'IPv4',
  ipv6: 'IPv6',
  md5: 'MD5',
  otp: 'OTP',
  params: 'parameters',
  ttl: 'TTL',
  uid: 'UID',
  url: 'URL',
};

/** The label of a field, else its name in words: `db_type` is `Database type`. */
export function labelOf(name: string, { label }: Pick<Field, 'label'>): string {
  const words = label ?? inWords(name);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The heading of a column: `DATABASE TYPE`; within a group the name of the group comes first: `OUTCOME CODE`. */
function headingOf(fields: Fields, path: string): string {
  const steps = path.split('.');
  const parts = steps.map((name, index) => {
    const field = fieldAt(fields, steps.slice(0, index + 1).join('.'));
    return field?.heading ?? field?.label ?? inWords(name);
  });
  return parts.join(' ').toUpperCase();
}

function inWords(name: string): string {
  // These parts only name the format: a boolean, a size, a time.
  const bare = name.replace(/^(?:is|has)_/, '').replace(/_bytes$|(?:_at)?_iso$|_at$/, '');
  return bare
    .split('_')
    .map((part) => (Object.hasOwn(spellings, part) ? spellings[part] : part))
    .join(' ');
}
