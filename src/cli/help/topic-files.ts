import type { Topic } from './topic.ts';

/** What happens to a file that is not as it should be; `test/files/rights.test.ts` has a test for each. */
const rights: readonly (readonly [string, string])[] = [
  [
    'all of the above, open to others',
    'Others lose their rights; a line on stderr says so. A folder that others can write to loses that right.',
  ],
  [
    'all of the above, a link',
    'Read where nobody else can write. Replaced when written; what it leads to is never changed.',
  ],
  [
    'configuration of another user',
    'Exit code 2, also for its folder; the same where others could put another folder in its place.',
  ],
  [
    'state of another user',
    'Neither read nor written. Changes are then sent with a warning, or not at all with journal=required.',
  ],
  ['cache of another user', 'Commands go without it.'],
  ['locks (.lock)', 'Never written through a link. One of a killed program ends at once, any other after ten minutes.'],
  ['downloads (.part)', 'Never written through a link; a link or folder in the place of the file is refused.'],
  ['scripts for completion', 'A link to one is replaced; any other file is refused. Folders keep their rights.'],
];

/** `help files`: which files there are, and which value wins. */
export function filesTopic(): Topic {
  return {
    title: 'Files',
    blocks: [
      {
        kind: 'text',
        text: 'Configuration is in $STACKOPS_CONFIG_DIR, else in stackops below $XDG_CONFIG_HOME or ~/.config. State is in stackops below $XDG_STATE_HOME or ~/.local/state. Names for completion are in stackops below $XDG_CACHE_HOME or ~/.cache. On Windows they are stackops\\config below %APPDATA%, stackops\\state and stackops\\cache below %LOCALAPPDATA%.',
      },
      {
        kind: 'rows',
        title: 'Configuration',
        rows: [
          ['config.json', 'Profiles, preferences, and which profile is the active one.'],
          ['credentials.json', 'Tokens by profile, as plain text: whoever can read your files can read it.'],
        ],
      },
      {
        kind: 'rows',
        title: 'State',
        rows: [
          ['journal.jsonl', 'The changes made from this machine, for stackops history; values are left out.'],
          ['journal-sandbox.jsonl', 'The same for --sandbox.'],
          ['sandbox.json', 'The world of --sandbox; sandbox reset makes it new.'],
        ],
      },
      {
        kind: 'rows',
        title: 'Cache',
        rows: [
          ['completion/', 'What TAB has read of the service, by profile: names, no values. It may go at any time.'],
        ],
      },
      {
        kind: 'text',
        text: 'Files have mode 0600 in folders of mode 0700. A journal grows line by line; the others are written as a whole and then renamed. Both happen under a lock beside the file (.lock), so several commands may run at once. Keys that are not known are kept.',
      },
      { kind: 'rows', title: 'Owners, rights and links', rows: rights },
      {
        kind: 'text',
        text: 'A value is looked for in this order: flag, environment, profile, preferences, default.',
      },
      { kind: 'examples', lines: ['stackops config list --origin', 'stackops config path'] },
    ],
  };
}
