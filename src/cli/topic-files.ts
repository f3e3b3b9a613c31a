import type { Topic } from './topic.ts';

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
        text: 'Files have mode 0600 in folders of mode 0700. A journal grows line by line; the others are written as a whole and then renamed, under a lock beside them (.lock), so several commands may run at once. Keys that are not known are kept.',
      },
      {
        kind: 'text',
        text: 'A value is looked for in this order: flag, environment, profile, preferences, default.',
      },
      { kind: 'examples', lines: ['stackops config list --origin', 'stackops config path'] },
    ],
  };
}
