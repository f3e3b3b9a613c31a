import { globalOptions } from './options.ts';
import type { Topic } from './topic.ts';

/** `help output`: what goes where, and the flags that shape it. */
export function outputTopic(): Topic {
  return {
    title: 'Output',
    blocks: [
      {
        kind: 'text',
        text: 'Data goes to stdout, everything else to stderr: questions, progress, warnings, notes and errors. On a terminal a list is a table cut to its width, with relative times and secrets masked. In a pipe it is tab-separated rows without a heading, with nothing cut or masked and times in ISO 8601.',
      },
      {
        kind: 'text',
        text: '--json prints one JSON document as the service sent it: an array over all pages for a list, an object for one thing; indented on a terminal, one line elsewhere. Fields that a newer service adds are there too.',
      },
      {
        kind: 'rows',
        title: 'Options',
        rows: globalOptions
          .filter(({ where, flags }) => where === 'output' || where === 'list' || flags.startsWith('--color'))
          .map(({ flags, about }) => [flags, about] as const),
      },
      {
        kind: 'text',
        text: 'A failure is two lines on stderr, error: and hint:, the hint being a command that works as printed. With --json it is one line of JSON with code, message, status, hint, exit_code, operation and request_id below error, and stdout stays empty, unless part of the work was done: that part is on stdout.',
      },
      {
        kind: 'examples',
        lines: [
          'stackops stack list --json --fields uid,name',
          'stackops deployment list -s shop --columns id,started_at --sort -id --limit 3',
          'stackops stack list -q',
        ],
      },
    ],
  };
}
