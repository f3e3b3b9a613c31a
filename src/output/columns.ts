import { type Field, type Fields, holdsSecret } from '../contract/field.ts';
import { filterRecordType, type Output } from '../contract/metadata.ts';
import type { RecordType, Row } from '../contract/record.ts';
import { CliError, type Correction } from '../errors/cli-error.ts';
import { allFieldPaths, fieldAt, sortPath, wordsSuffix } from './field-path.ts';
import { hasDataFormat, type View } from './view.ts';

export type Column = ReturnType<typeof columnsOf>[number];

const neverCutFields = ['uid', 'id', 'key', 'action', 'address', 'private_ip', 'reference'];

/** Returns the requested columns, else those of the record type. `rareColumn` needs a row in which it is true. */
export function columnsOf(record: RecordType, view: View, rows: readonly Row[] = []) {
  const isShown = (path: string) => path !== record.rareColumn || rows.some((row) => row[path] === true);
  return (view.columns ?? record.columns.filter(isShown)).map((path, index) => {
    const field = fieldAt(record.fields, path) as Field;
    const lastPathPart = path.slice(path.lastIndexOf('.') + 1);
    return {
      path,
      // Tab-separated output has `DB TYPE` for `db_type`, so that scripts can derive the field from the heading.
      heading: view.format === 'tsv' ? path.replaceAll(/[._]/g, ' ').toUpperCase() : headingOf(record.fields, path),
      field,
      /** True for numbers. The column is right-aligned, and never cut, because part of a number is a wrong number. */
      isRight: field.kind === 'integer' && !field.meanings,
      /** True for a column that is never cut, because part of an ID, an address or an action type would mislead. */
      isWhole: neverCutFields.includes(lastPathPart) || (index === 0 && !isNameField(path)),
      /** True for a column that is never dropped: the first column, and the ID of rows without a name. */
      isRequired: index === 0 || (path === record.id && !record.columns.some(isNameField)),
      wraps: path === record.wrappedColumn,
    };
  });
}

/** True for the path of a field whose values commands accept in place of an ID. */
export function isNameField(path: string): boolean {
  return ['name', 'username', 'friendly_name', 'email'].includes(path);
}

type CheckedView = Pick<
  View,
  'format' | 'columns' | 'chosenBy' | 'fields' | 'where' | 'sort' | 'limit' | 'header' | 'uncut' | 'reveal' | 'asRows'
>;

/** Returns the view with full field paths. Throws `usage` for an unknown or masked field, or a flag without effect. */
export async function resolveView<V extends CheckedView>(output: Output, view: V, revealed: readonly string[] = []) {
  refuseRowFormat(output, view);
  refuseListFlags(output, view);
  const record = output.reply?.record;
  const sortRecord = hasDataFormat(view) || !output.table ? record : output.table;
  const rowRecord = filterRecordType(output) ?? sortRecord;
  const { fields, columns, sort, where } = view;
  const newView: V = {
    ...view,
    ...(fields && record && { fields: fields.map((path) => requireFieldPath('field', path, record)) }),
    ...(columns && sortRecord && { columns: columns.map((path) => requireFieldPath('column', path, sortRecord)) }),
    ...(sort !== undefined &&
      sortRecord && { sort: sort.replace(sortPath(sort), (path) => requireFieldPath('field', path, sortRecord)) }),
    ...(where &&
      rowRecord && { where: where.map((one) => ({ ...one, path: requireFieldPath('field', one.path, rowRecord) })) }),
  };
  if (rowRecord && newView.where) {
    const { checkFilter } = await import('./filter-sort.ts');
    for (const filter of newView.where) checkFilter(filter, rowRecord.fields);
  }
  if (view.reveal || !sortRecord || !rowRecord) return newView;
  refuseMaskedFields('--where', newView.where?.map(({ path }) => path) ?? [], rowRecord.fields, revealed);
  refuseMaskedFields('--sort', newView.sort === undefined ? [] : [sortPath(newView.sort)], sortRecord.fields, revealed);
  return newView;
}

/** Returns the path of the field that the user typed as a path or as a heading, in any case; undefined if unknown. */
export function findFieldPath(typedText: string, record: RecordType): string | undefined {
  const { fields, columns } = record;
  const lowerCase = typedText.toLowerCase();
  const exactPath = [typedText, lowerCase].find((path) => fieldAt(fields, path));
  if (exactPath !== undefined) return exactPath;
  const heading = lowerCase.replaceAll(/[_-]/g, ' ').toUpperCase();
  const pathOfHeading = [...columns, ...allFieldPaths(fields)].find((path) => headingOf(fields, path) === heading);
  if (pathOfHeading !== undefined || !lowerCase.endsWith(wordsSuffix)) return pathOfHeading;
  const wordsPath = findFieldPath(lowerCase.slice(0, -wordsSuffix.length), record) + wordsSuffix;
  return fieldAt(fields, wordsPath) && wordsPath;
}

function requireFieldPath(noun: string, typedText: string, recordType: RecordType): string {
  const path = findFieldPath(typedText, recordType);
  if (path !== undefined) return path;
  throw new CliError('usage', `unknown ${noun} "${typedText}"`, { unknownField: { typed: typedText, recordType } });
}

/** Throws `usage` for a masked field, because a filter or a sort order by a secret would reveal the secret. */
function refuseMaskedFields(flag: string, paths: readonly string[], fields: Fields, revealed: readonly string[]): void {
  for (const path of paths) {
    const [name = ''] = path.split('.');
    const field = fieldAt(fields, path);
    if (revealed.includes(name) || !field || !holdsSecret(field)) continue;
    throw new CliError('usage', `${flag} ${path}: the field is masked`, { correction: { add: ['--reveal'] } });
  }
}

const jsonCorrection: Correction = { replace: { word: '--output', by: [] }, add: ['--json'] };

function refuseRowFormat({ reply, table }: Output, { asRows, format }: CheckedView): void {
  // In tab-separated output a single value is a row of one cell.
  const hasRows = table ?? (reply ? reply.record : format === 'tsv');
  if (!asRows || hasRows) return;
  const message = `--output ${format} is not supported here: the command returns no rows`;
  throw new CliError('usage', message, { correction: jsonCorrection });
}

function refuseListFlags(output: Output, view: CheckedView): void {
  const hasRows = isListOutput(output, view);
  // A reply without a declaration may be a list.
  const mayBeList = hasRows || (output.reply?.envelope === 'opaque' && !output.table);
  const flags = [
    [view.chosenBy ?? '--fields', view.columns, hasRows],
    ['--where', view.where, mayBeList || filterRecordType(output) !== undefined],
    ['--sort', view.sort, mayBeList],
    ['--limit', view.limit, mayBeList],
    ['--no-trunc', view.uncut, hasRows],
    [view.header ? '--header' : '--no-header', view.header, hasRows && !hasDataFormat(view)],
  ] as const;
  const unusedFlags = flags.flatMap(([flag, value, applies]) => (value === undefined || applies ? [] : [flag]));
  const [first] = unusedFlags;
  if (first === undefined) return;
  if (first === '--fields' && output.reply) {
    throw new CliError('usage', '--fields does not apply: it needs a list or JSON', { correction: jsonCorrection });
  }
  const correction = { replace: unusedFlags.map((word) => ({ word, by: [] })) };
  throw new CliError('usage', `${first} does not apply: ${notApplicableReason(output, view)}`, { correction });
}

function notApplicableReason(output: Output, view: CheckedView): string {
  if (hasDataFormat(view) && (output.table || isListOutput(output, view)))
    return `the output is ${view.format}, not a table`;
  return output.kind === 'change' ? 'this command prints a sentence, not rows' : 'the output is not a list';
}

function isListOutput({ kind, reply }: Output, view: CheckedView): boolean {
  // A command that starts a program runs it for every row, so a list with fewer rows would mislead.
  if (kind === 'program') return false;
  const isListReply = ['page', 'rows'].includes(reply?.envelope ?? '');
  if (hasDataFormat(view)) return isListReply || reply?.envelope === 'opaque';
  return kind === 'rows' || (kind === 'change' && isListReply && view.asRows === true);
}

const abbreviations = ['DNS', 'FQDN', 'ID', 'IP', 'IPv4', 'IPv6', 'MD5', 'OTP', 'TTL', 'UID', 'URL'];
/** Spellings of parts of field names in labels and headings: `db` becomes `database`. */
const wordSpellings: ReadonlyMap<string, string> = new Map([
  ...abbreviations.map((word) => [word.toLowerCase(), word] as const),
  ...Object.entries({ db: 'database', ext: 'external', int: 'internal', params: 'parameters' }),
]);

/** Returns the label of a field, or the field's name in words: `db_type` is `Database type`. */
export function labelOf(name: string, { label }: Pick<Field, 'label'>): string {
  const words = label ?? nameInWords(name);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function headingOf(fields: Fields, path: string): string {
  const steps = path.split('.');
  const stepHeadings = steps.map((name, index) => {
    const field = fieldAt(fields, steps.slice(0, index + 1).join('.'));
    return field?.heading ?? field?.label ?? nameInWords(name);
  });
  return stepHeadings.join(' ').toUpperCase();
}

function nameInWords(name: string): string {
  // The removed parts only name the format: a boolean (`is_`), a size (`_bytes`), a time (`_at`).
  const bareName = name.replace(/^(?:is|has)_/, '').replace(/_bytes$|(?:_at)?_iso$|_at$/, '');
  const words = bareName.split('_').map((part) => wordSpellings.get(part) ?? part);
  return words.join(' ');
}
