import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { programLine } from './built.ts';
import { temporaryFolder } from './stackops.ts';

type Lines = readonly string[];

const redeployed = 'stackops redeploy -s shop -y';
const madeWork = 'stackops profile set stack=shop --profile work';
const madeUser = 'stackops db user create reporter -s shop';
const shares = Array.from({ length: 12 }, (_, index) => `stackops variant weight va-canary ${index + 20} -s shop`);
const levels = Array.from({ length: 12 }, (_, index) => `stackops stack env set LOG_LEVEL=${index} -s shop`);

/** What an example takes for granted: commands that come first, in the same sandbox. */
export const preparations: readonly (readonly [example: RegExp, lines: Lines])[] = [
  [/profile (use|show|delete) work|auth logout --profile work/, [madeWork]],
  [/deployment (wait|cancel) 1042\b/, [redeployed]],
  [/deployment cancel 1042 1043/, [redeployed]],
  [/action (get|wait) 812\b/, [madeUser]],
  [/stack env unset OLD_FLAG/, ['stackops stack env set OLD_FLAG=1 -s shop']],
  [/user device (update|delete) 7/, ['stackops user device register 7 --type ios --sub-type iphone --token-stdin']],
  [/sandbox verify/, ['stackops sandbox clone -s shop']],
  [/history (show|close) 12/, shares],
  [/history undo 12/, levels],
  [/history undo(?! 12)/, levels.slice(0, 1)],
];

/** Examples that end with another code than 0, and why. */
export const exceptions: readonly (readonly [example: RegExp, code: number, reason: string])[] = [
  [
    /^stackops deployment promote .*--check-env/,
    6,
    'The last deployment of staging failed, and these clocks stand still.',
  ],
  [/^stackops cluster create/, 7, 'The service announces it for a later release and answers 501.'],
  [/^stackops server (ssh|cp|run) /, 6, 'The sandbox has no machines.'],
];

/** What the device was registered with; nothing else reads stdin first. */
export const stdinOfPreparations = 'sandbox_all';

/** A folder with the files that examples name. */
export function exampleFolder(): string {
  const folder = temporaryFolder();
  const put = (name: string, text: string) => writeFileSync(join(folder, name), text);
  put('key.pem', 'made-up key\n');
  put('bastion.pem', 'made-up key\n');
  put('.env.example', 'LOG_LEVEL=\n');
  put('staging.env', 'LOG_LEVEL=debug\nCURRENCY=EUR\n');
  put('stackops.yaml', 'version: 1\nstacks:\n  shop/production: {}\n  blog/staging: {}\nenv: { LOG_LEVEL: debug }\n');
  put('token.txt', 'sandbox_all\n');
  put('ada.json', JSON.stringify({ access_profile: { account_profile: { can_create_stack: true } } }));
  mkdirSync(join(folder, 'backups'));
  mkdirSync(join(folder, '.ssh'));
  put('deploy.sh', '#!/bin/sh\nexit 0\n');
  put('health.sh', '#!/bin/sh\nexit 0\n');
  put('pass', '#!/bin/sh\ncase $2 in *-env) echo API_SECRET=made-up ;; *) echo made-up ;; esac\n');
  put('at', '#!/bin/sh\nexec sh\n');
  put('xdg-open', '#!/bin/sh\nexit 0\n');
  // The machines of the sandbox are not there.
  for (const name of ['ssh', 'scp']) put(name, '#!/bin/sh\nexit 0\n');
  put('stackops', `#!/bin/sh\nexec ${programLine} "$@"\n`);
  for (const name of ['deploy.sh', 'health.sh', 'pass', 'at', 'xdg-open', 'ssh', 'scp', 'stackops'])
    chmodSync(join(folder, name), 0o755);
  return folder;
}

/** Does it with this folder as that of the process. */
export async function inFolder<Value>(folder: string, work: () => Promise<Value>): Promise<Value> {
  const before = process.cwd();
  process.chdir(folder);
  try {
    return await work();
  } finally {
    process.chdir(before);
  }
}

/** The words behind the program, as a shell splits them, with single quotes only. */
export function wordsOf(line: string): readonly string[] {
  const words = line.match(/(?:'[^']*'|[^\s'])+/g) ?? [];
  return words.slice(1).map((word) => word.replaceAll("'", ''));
}
