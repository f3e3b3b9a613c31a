import { changeMeanings } from '../../../contract/plan.ts';
import type { Topic } from './topic.ts';

export const outputTopic: Topic = {
  title: 'Output',
  blocks: [
    'Data goes to stdout. Questions, progress, warnings, notes and errors go to stderr. --color, NO_COLOR and FORCE_COLOR control colour.',
    {
      title: 'Formats: --output, STACKOPS_OUTPUT or "stackops config set output=..."',
      rows: Object.entries({
        table:
          'Default on a terminal: aligned columns below a heading, cut to its width; values, commands and messages take up to five lines. Relative times.',
        tsv: 'Default in a pipe: one line per row, tabs between cells, no heading, nothing cut, ISO times. Tab, line feed, carriage return and backslash become \\t, \\n, \\r and \\\\. No value is -.',
        csv: 'RFC 4180: a heading of field names, lines that end with CR LF, quotes where needed, values unchanged. No value is an empty cell, an empty text is "". One object is a heading and one row.',
        md: 'A table or list for GitHub, with ISO times: for reports such as $GITHUB_STEP_SUMMARY. No text breaks out of its cell.',
        json: 'One document as the service sent it, with secrets masked: an array for a list, otherwise an object. --json is the same. Numbers keep their digits and spelling, such as 1.10 and 1e400.',
        yaml: 'The same as one YAML document. Text that YAML would read as another type is quoted.',
        ndjson: 'The same with one row of a list per line, or one object on one line.',
      }),
    },
    'A change prints sentences. With --output csv or tsv on the command line it prints rows; a preference does not change it. Commands that return no rows, such as "api" and "auth token", refuse csv.',
    {
      title: 'Flags that shape the output',
      rows: Object.entries({
        '--fields':
          'Fields of json, yaml, ndjson and --jq, or columns of a list, in this order; also spelled --columns. Codes have a field of words, which --where and --sort take too: status_text beside status.',
        '--header, --no-header': 'For lists as table, tsv or csv, and for changes as tsv or csv.',
        '--no-trunc':
          'A table cuts cells that do not fit, and shows seven digits of a commit; with this flag, nothing is cut.',
        '--where FIELD=VALUE':
          'Keep the rows of a list that match, in every format. Also !=, ~ (contains), < and >. States match by word or code, times by moment. Several must all match; an empty VALUE means no value.',
        '--sort, --limit': 'For lists in every format; applied after --where and before the rest.',
        '--reveal':
          'Show secrets, which are *** in every format otherwise; json, yaml and ndjson name the masked fields of a row in "masked".',
        STACKOPS_CSV_RAW:
          "For csv. Unless it is on, a text that begins with = + - @, a tab, CR or LF has a ' put in front, so that no spreadsheet runs it; numbers such as -5 are left alone.",
        '--dry-run':
          'With json, yaml, ndjson and --jq: the request as an object of dry_run, method, url and body; several requests are a list. --fields, --where, --sort and --limit do not apply to it. Other formats print text; --curl prints a line to paste.',
        '--watch':
          'Redrawn on a terminal until q is pressed; in a pipe the first state, then each change. A closed pipe ends it at the next change.',
        '-q': 'Only the IDs of a list (or the first of --columns) as table, tsv or csv.',
      }),
    },
    {
      title: 'jq, with --jq EXPRESSION',
      rows: Object.entries({
        input:
          'The document that --json prints, after --where, --sort, --limit and --fields. With --dry-run it is the request, so fields of the response are null.',
        output:
          'Strings raw, anything else as JSON: one line each in a pipe, indented on a terminal. What a command has got when it fails is printed whole, without jq.',
        engine:
          'jq 1.8.2, built in. It reads no files, no modules and no environment variables: $ENV and env do not hold those of your shell.',
        errors:
          'An invalid expression is refused before anything is sent. One that fails on the data prints nothing. Both exit with 2; after a change the message says that it was made. The message leaves out values of the data, and the text of error and halt_error unless the expression contains it.',
        numbers:
          'Integers beyond 2^53 keep all digits when passed on, compared, sorted or converted to text; arithmetic rounds them. 1.10 stays 1.10; 1e400 becomes 1E+400.',
      }),
    },
    {
      title: 'Words of the field "change", in the record that every change prints with --json',
      rows: Object.entries(changeMeanings),
    },
    'A failure prints two lines on stderr: error: and hint:. The hint is a command that works as printed, or one sentence. With --json it is one line of JSON: error holds code, message, status, hint, exit_code, operation and request_id. stdout stays empty, or holds the part of the work that was done. With --json and stderr not on a terminal, warnings, notes and the progress of a long wait are objects too, one per line, before the error: {"warning":"…"}, {"note":"…"}, {"progress":"…"}.',
    {
      examples: [
        'stackops stack list --json --fields uid,name',
        'stackops deployment list -s shop --fields id,started_at --sort -id --limit 3',
        'stackops server list -s shop --where health_state!=healthy',
        'stackops stack list --jq .[].name',
        `stackops stack list --jq 'map(.status_text)'`,
        'stackops stack list -q',
      ],
    },
  ],
};
