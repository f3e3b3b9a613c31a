import type { Topic, TopicBlock } from './topic.ts';

/** `help output`: what goes where, in which form, and the flags that shape it. */
export function outputTopic(): Topic {
  return { title: 'Output', blocks: [streams, ...forms, failures, examples] };
}

const streams: TopicBlock = {
  kind: 'text',
  text: 'Data goes to stdout, everything else to stderr: questions, progress, warnings, notes and errors. --color, NO_COLOR and FORCE_COLOR decide on colour.',
};

const forms: readonly TopicBlock[] = [
  {
    kind: 'rows',
    title: 'Forms, chosen with --output, STACKOPS_OUTPUT or "stackops config set output=..."',
    rows: [
      [
        'table',
        'What a terminal gets: aligned columns below a heading, cut to its width, with relative times and secrets masked.',
      ],
      [
        'tsv',
        'What a pipe gets: one line per row, cells between tabs, no heading, nothing cut, ISO times; \\t, \\n, \\r and \\\\ stand for tab, line feed, carriage return and backslash, - for no value.',
      ],
      [
        'csv',
        'As RFC 4180 has it: a heading of field names, lines that end with CR LF, quotes where a cell needs them and values that are otherwise as they are. No value is an empty cell, an empty text is "". One object is a heading and one row.',
      ],
      [
        'json',
        'One document as the service sent it: an array for a list, an object for one thing. So is --json. Numbers keep their digits and their spelling, such as 1.10 and 1e400.',
      ],
      ['yaml', 'The same as one YAML document. What YAML could take for something else than text is quoted.'],
      ['ndjson', 'The same with one row of a list on each line, and one object on one line.'],
    ],
  },
  {
    kind: 'text',
    text: 'A change is told in sentences where a list is a table. With --output csv or tsv, typed and not only preferred, it is rows, too. What has no rows, such as the reply of "api" or the text of "auth token", is refused as csv.',
  },
  {
    kind: 'rows',
    title: 'What shapes them',
    rows: [
      ['--columns, --header, --no-header', 'For lists as table, tsv or csv, and for changes as tsv or csv.'],
      ['--fields', 'For json, yaml, ndjson and --jq: only these fields, in this order.'],
      ['--sort, --limit', 'For lists in every form, before anything else.'],
      ['--reveal', 'Shows secrets in tables, which mask them in a pipe too; other forms never mask.'],
      [
        '--csv-raw',
        "For csv. Without it a text that begins with = + - @, a tab, CR or LF has a ' put in front, so that no spreadsheet runs it; numbers such as -5 are left alone.",
      ],
      [
        '--dry-run',
        'With json, yaml, ndjson and --jq: the request as an object of dry_run, method, url and body, several as a list, all of it: fields, order and number are chosen of replies. Other forms show it as text, --curl as a line to paste.',
      ],
      ['-q', 'Only the first column of a list as table, tsv or csv.'],
    ],
  },
  {
    kind: 'rows',
    title: 'jq, with --jq EXPRESSION',
    rows: [
      [
        'input',
        'The document that --json prints, after --sort, --limit and --fields; with --dry-run the request, so that names of the reply find null.',
      ],
      ['output', 'Texts raw, anything else as JSON: in one line each in a pipe, indented on a terminal.'],
      [
        'engine',
        'jq 1.8.2 itself, built in: none has to be installed. It sees no files, no modules and nothing of the environment: $ENV and env hold what the engine makes up, not the variables of the shell.',
      ],
      [
        'mistakes',
        'An expression that jq cannot read is refused before anything is sent. One that fails on the data prints nothing. Both end with 2; after a change the message says that it was made. Values that jq would repeat are left out of the message, and so is what error and halt_error raise, unless the expression holds it word for word.',
      ],
      [
        'numbers',
        'Integers beyond 2^53 keep all digits when they are passed on, compared, sorted or made text; arithmetic rounds them. 1.10 stays 1.10, and 1e400 becomes 1E+400.',
      ],
    ],
  },
];

const failures: TopicBlock = {
  kind: 'text',
  text: 'A failure is two lines on stderr, error: and hint:, the hint being a command that works as printed. With --json it is one line of JSON with code, message, status, hint, exit_code, operation and request_id below error, and stdout stays empty, unless part of the work was done: that part is on stdout. With --json, and where stderr is no terminal, warnings, notes and the sign of life of a long wait are objects too, one a line, in front of it: {"warning":"…"}, {"note":"…"}, {"progress":"…"}.',
};

const examples: TopicBlock = {
  kind: 'examples',
  lines: [
    'stackops stack list --json --fields uid,name',
    'stackops deployment list -s shop --columns id,started_at --sort -id --limit 3',
    'stackops stack list --jq .[].name',
    'stackops stack list -q',
  ],
};
