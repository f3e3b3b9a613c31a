import type { Output } from '../../contract/metadata.ts';
import { attempt, CliError } from '../../errors/cli-error.ts';
import { readNames } from '../../fields/read-value.ts';
import { type Filter, type Format, hasDataFormat, outputFormats, type View } from '../../output/view.ts';
import { normaliseSetting, type Settings } from '../../settings/settings.ts';
import type { App } from '../app.ts';
import { wantsColour } from '../host.ts';
import { numberOption, type Options, type TypedCommand } from './options.ts';

/** Returns the part of the view that follows from the flags, without settings. Throws `usage` for invalid flags. */
export function viewFromFlags({ options }: TypedCommand, format = readOutputFormat(options, options.output, false)) {
  const limit = numberOption('limit', options);
  const { quiet = false, reveal = false, header, no_header, no_trunc: uncut, where, sort, jq, output } = options;
  return {
    format,
    quiet,
    reveal,
    header: header || no_header ? !no_header : undefined,
    uncut,
    ...chosenFields(options, format),
    where: where?.map(readFilter),
    sort,
    limit,
    // Only the flag prints a change as rows. A csv set in a profile is for lists: a change still prints sentences.
    asRows: output === 'csv' || output === 'tsv',
    jq,
  };
}

export function readView(line: TypedCommand, settings: Settings, app: App): View {
  const { options, command } = line;
  const { terminal } = app.out;
  const colour = wantsColour(settings.get('color'), app.env, terminal);
  // With -q a list prints only IDs and a change prints nothing, so the `output` setting is ignored.
  const ignoresOutputSetting =
    options.quiet && options.output === undefined && ['rows', 'change'].includes(command.output.kind);
  checkOutputFormat(line);
  const format = readOutputFormat(options, ignoresOutputSetting ? undefined : settings.get('output').value, terminal);
  return {
    ...viewFromFlags(line, format),
    terminal,
    width: app.out.width || 80,
    height: (terminal && app.screen.height) || undefined,
    colour,
    now: app.now(),
    redact: app.redactor.redact,
    csvRaw: settings.get('csv_raw').value === 'true',
  };
}

export function outputOf({ command: { output }, flags }: TypedCommand): Output {
  if (output.kind !== 'document') return output;
  // A document is a table only with the flag of the parameter `tableWith`.
  const { reply, table, tableWith } = output;
  return flags[`--${tableWith}`] === true ? { kind: 'rows', reply, table } : { kind: 'value', reply };
}

function readOutputFormat(options: Options, chosenFormat: string | undefined, terminal: boolean): Format {
  const jsonFlag = options.json ? '--json' : options.jq !== undefined && '--jq';
  if (jsonFlag && options.output !== undefined && options.output !== 'json') {
    throw new CliError('usage', `use ${jsonFlag} or --output ${options.output}, not both`, {
      correction: { replace: { word: '--output', by: [] } },
    });
  }
  if (options.quiet && options.verbose) throw new CliError('usage', 'use --quiet or --verbose, not both');
  if (jsonFlag) return 'json';
  return outputFormats.find((format) => format === chosenFormat) ?? (terminal ? 'table' : 'tsv');
}

/** Throws `usage` for an unknown format, with a correction: other tools have `-o FILE` and `-o wide`. */
export function checkOutputFormat({ options: { output }, command: { params } }: TypedCommand): void {
  if (output === undefined) return;
  const checked = attempt(() => normaliseSetting('output', output, { kind: 'flag', name: '--output' }));
  if (!(checked instanceof CliError)) return;
  const by = params['to'] && /[./]/.test(output) ? ['--to', output] : [];
  throw checked.with({ correction: checked.details.correction ?? { replace: { word: '--output', by } } });
}

function chosenFields({ fields, columns }: Options, format: Format): Pick<View, 'fields' | 'columns' | 'chosenBy'> {
  if (fields !== undefined && columns !== undefined) {
    throw new CliError('usage', 'use --fields or --columns, not both', {
      correction: { replace: { word: '--columns', by: [] } },
    });
  }
  const chosenBy = columns === undefined ? '--fields' : '--columns';
  const namesText = columns ?? fields;
  if (namesText === undefined) return {};
  const names = readNames(namesText, chosenBy);
  return hasDataFormat({ format }) ? { fields: names } : { columns: names, chosenBy };
}

/** Parses `health_state!=healthy`; throws `usage` for text without an operator. */
export function readFilter(text: string): Filter {
  const [, path, operator, value] = /^([^=!~<>\s]+)(!=|=|~|<|>)(.*)$/s.exec(text) ?? [];
  if (path !== undefined && value !== undefined) return { path, operator: operator as Filter['operator'], value };
  throw new CliError('usage', `--where must be FIELD=VALUE (or !=, ~, <, >), not "${text}"`);
}
