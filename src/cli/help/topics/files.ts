import type { Topic } from './topic.ts';

/** The rules for unsafe files. `test/transcripts/files/rights.test.ts` tests each rule. */
const fileRules = Object.entries({
  'any of these, open to others':
    'Others lose their rights, and a line on stderr says so. In a folder, others lose the right to write.',
  'any of these, a link': 'Read if nobody else can write there. Replaced when written; its target is never changed.',
  'journal, open to others': 'The changes in it are no longer undone by stackops history undo; later ones are.',
  'configuration of another user': 'Exit code 2; also for its folder, and if others could replace that folder.',
  'state of another user':
    'Not read and not written. Changes are sent with a warning, or not at all with journal=required.',
  'cache of another user': 'Not used.',
  'locks (.lock)':
    'Never written through a link. The lock of a killed program ends at once, any other after ten minutes.',
  'downloads (.part)': 'Never written through a link. A link or folder in place of the file is refused.',
  'completion scripts': 'A link to one is replaced; any other file is refused. Folders keep their rights.',
});

export const filesTopic: Topic = {
  title: 'Files',
  blocks: [
    'Configuration: $STACKOPS_CONFIG_DIR, else stackops in $XDG_CONFIG_HOME or ~/.config. State: stackops in $XDG_STATE_HOME or ~/.local/state. Cache: stackops in $XDG_CACHE_HOME or ~/.cache. On Windows: stackops\\config in %APPDATA%, stackops\\state and stackops\\cache in %LOCALAPPDATA%.',
    {
      title: 'Configuration',
      rows: Object.entries({
        'config.json': 'Profiles, preferences and the active profile.',
        'credentials.json': 'Tokens by profile, in plain text: anyone who can read your files can read them.',
        'journal-keys.json': 'Keys of the hashes in the journal, each for 30 days. Without them history undo refuses.',
      }),
    },
    {
      title: 'State',
      rows: Object.entries({
        'journal.jsonl': 'Changes made from this machine, for stackops history. No secrets are recorded.',
        'journal-sandbox.jsonl': 'The same for --sandbox.',
        'sandbox.json': 'State of --sandbox; stackops sandbox reset resets it.',
        'ramp/': 'The ramp of each stack: its options and share, and what its checks print. No tokens.',
        'state/': 'Which stack an apply is changing, and which lock is being written. No values.',
      }),
    },
    {
      title: 'In your repository',
      rows: Object.entries({
        'stackops.yaml': 'Stacks as a file, for pull, plan, drift and apply.',
        'stackops.lock': 'When the service changed each of its paths, and a digest of each entry. No values.',
      }),
    },
    {
      title: 'Cache',
      rows: Object.entries({
        'completion/': 'Names that TAB has read from the service, by profile; no values. Delete it at any time.',
        'code/': 'The compiled program, on Node 22.8 or newer. Delete it at any time; NODE_COMPILE_CACHE moves it.',
      }),
    },
    'Files have mode 0600, folders 0700. The journal is appended to; other files are written whole, then renamed. A lock beside the file (.lock) protects both, so several commands may run at once. Unknown keys are kept.',
    { title: 'Owners, rights and links', rows: fileRules },
    'The first of these that has a value wins: flag, environment variable, profile, preference, default.',
    { examples: ['stackops config list --origin', 'stackops config path'] },
  ],
};
