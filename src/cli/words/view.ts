import { type Format, formats, type View } from '../../output/view.ts';
import { Problem } from '../../problems/problem.ts';
import type { World } from '../world.ts';
import type { Options } from './options.ts';

/** How a value shall look: from the options, the preferred output of the profile, and what stdout is. */
export function readView(options: Options, preferred: string | undefined, world: World, colour: boolean): View {
  const terminal = world.out.terminal;
  return {
    format: readFormat(options, preferred, terminal),
    terminal,
    width: world.out.width || 80,
    colour,
    quiet: options.quiet ?? false,
    reveal: options.reveal ?? false,
    now: world.now(),
    redact: world.redactor.redact,
    ...(options.header !== undefined && { header: options.header }),
    ...(options.columns !== undefined && { columns: names(options.columns, '--columns') }),
    ...(options.fields !== undefined && { fields: names(options.fields, '--fields') }),
    ...(options.sort !== undefined && { sort: options.sort }),
    ...(options.limit !== undefined && { limit: readLimit(options.limit) }),
    ...(options.csvRaw && { csvRaw: true }),
    // Who prefers CSV means lists; a script that was written for the sentences of changes shall go on working.
    ...((options.output === 'csv' || options.output === 'tsv') && { asRows: true as const }),
    ...(options.jq !== undefined && { jq: options.jq }),
  };
}

function readFormat(options: Options, preferred: string | undefined, terminal: boolean): Format {
  const json = options.json ? '--json' : options.jq !== undefined && '--jq';
  if (json && options.output !== undefined && options.output !== 'json') {
    throw new Problem('usage', `${json} and --output ${options.output} exclude each other`, {
      retry: { without: ['--output'] },
    });
  }
  if (options.quiet && options.verbose) throw new Problem('usage', '--quiet and --verbose exclude each other');
  const given = json ? 'json' : (options.output ?? preferred);
  if (options.fields !== undefined && !['json', 'yaml', 'ndjson'].includes(given ?? '')) {
    throw fieldsOfTable(options.output);
  }
  if (given === undefined) return terminal ? 'table' : 'tsv';
  const format = formats.find((known) => known === given);
  if (!format) throw new Problem('usage', `--output is "${given}"; it must be one of ${formats.join(', ')}`);
  return format;
}

function fieldsOfTable(output: string | undefined): Problem {
  const retry = output === undefined ? { with: ['--json'] } : { without: ['--output'], with: ['--output', 'json'] };
  return new Problem('usage', '--fields chooses fields of JSON; use --columns for tables', { retry });
}

function names(text: string, shown: string): readonly string[] {
  const list = text.split(',').map((name) => name.trim());
  if (list.some((name) => name === ''))
    throw new Problem('usage', `${shown} is "${text}"; it must be names with commas`);
  return list;
}

function readLimit(text: string): number {
  if (/^[1-9][0-9]{0,8}$/.test(text)) return Number(text);
  throw new Problem('usage', `--limit is "${text}"; it must be a whole number above 0`);
}
