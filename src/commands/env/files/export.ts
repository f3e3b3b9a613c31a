import type { Context } from '../../../contract/command.ts';
import { flag, many, optional, text, type Values as ValuesOf } from '../../../contract/field.ts';
import { opaqueReply } from '../../../contract/reply.ts';
import { formatOf, writeVariables } from '../../../env-file/formats.ts';
import { findAmong, readAll } from '../../../kinds/resource/find.ts';
import { script } from '../../../kinds/script.ts';
import { Problem } from '../../../problems/problem.ts';
import { environments, variable } from '../../../resources/env.ts';
import { inStack } from '../../../resources/shared.ts';
import { isOwnedBy, typeField } from '../variable/owner.ts';
import { knownValues } from '../variable/value.ts';
import { formatFlag } from './read-file.ts';
import { type SavedFile, savedText, saveVariables } from './save-variables.ts';

const params = {
  stack_id: inStack,
  keys: optional(
    many(text('Name of a variable.', { names: 'environment variable' }), 'Only these environment variables.', {
      label: 'KEY',
    }),
  ),
  format: formatFlag,
  to: optional(text('File to write or update; without it, stdout.', { names: 'file' })),
  type: typeField,
  keys_only: optional(flag('Print only the names, one a line.')),
};
type ExportInput = ValuesOf<typeof params>;

/** `env export`: variables as a file. */
export const exportCommand = script({
  about: 'Write environment variables to stdout or a file.',
  params,
  positionals: ['keys'],
  examples: [
    'stackops stack env export -s shop',
    'stackops stack env export -s shop --to staging.env',
    'stackops stack env export LOG_LEVEL CURRENCY --format json -s shop',
  ],
  calls: [environments.list],
  output: { kind: 'value', reply: opaqueReply },
  run: async (context, input): Promise<Exported> => {
    const { to, format = formatOf(to ?? ''), keys_only } = input;
    if (to !== undefined && keys_only) throw new Problem('usage', '--keys-only prints names: leave out --to');
    const values = await exportedValues(context, input);
    if (keys_only) return [...values.keys()];
    return to === undefined ? Object.fromEntries(values) : saveVariables(context, values, { file: to, format });
  },
  present: (found, input) => ({ kind: 'value', text: textOf(found, input) }),
});

type Values = Readonly<Record<string, string>>;
/** Names, what a file holds now, or values: as the flags say. */
type Exported = readonly string[] | SavedFile | Values;

function textOf(found: Exported, { to, format = 'dotenv' }: ExportInput): string {
  if (Array.isArray(found)) return found.join('\n');
  if (to !== undefined) return savedText(found as SavedFile);
  return writeVariables(new Map(Object.entries(found as Values)), format).replace(/\n$/, '');
}

function nothingToExport(count: number, type = 'user'): string {
  if (count === 0) return 'No environment variables.';
  return `No ${type} variables: ${count} of other types; --type all exports them.`;
}

/** The values that are asked for, in the order of the stack. */
async function exportedValues(context: Context, input: ExportInput): Promise<ReadonlyMap<string, string>> {
  const { keys, type } = input;
  const known = await readAll(context, variable, input);
  const named = keys?.map((key) => findAmong(variable, known, key, input));
  const chosen = known.filter((row) => (named ? named.includes(row) : isOwnedBy(row, type)));
  if (chosen.length === 0) context.note(nothingToExport(known.length, type));
  return knownValues(context, chosen);
}
