import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { readTree } from '../../scripts/docs/tree.ts';
import { replyFormats } from '../../src/sandbox/replies/forms.ts';
import { seedMoment } from '../../src/sandbox/seed/seed.ts';
import {
  exampleFolder,
  exceptions,
  inFolder,
  preparations,
  stdinOfPreparations,
  wordsOf,
} from '../support/examples.ts';
import { startSandbox } from '../support/sandbox.ts';
import { ownFolders, run, temporaryFolder } from '../support/stackops.ts';
import { transcriptFile } from '../support/transcript.ts';

/** The output of every example with --json, in every reply form of the sandbox, is valid for the schema in the package. */
const { commands } = await readTree();
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
const printing = commands.filter(({ reply }) => reply !== null);
const validators = new Map(
  printing.map(({ name }) => {
    const file = join(import.meta.dirname, `../../schemas/${name.replaceAll(' ', '-')}.json`);
    return [name, ajv.compile(JSON.parse(readFileSync(file, 'utf8')))];
  }),
);

/** These need a shell, a machine or a browser. */
const needsMore =
  /[|>"$]|^stackops (sandbox (start|run)|server (ssh|cp|run)) |^stackops auth login(?!.*--token)|--(jq|watch)\b/;
const isPlayed = (line: string) =>
  line.startsWith('stackops ') && !needsMore.test(line) && !exceptions.some(([pattern]) => pattern.test(line));

test.each(replyFormats)('%s: the output of every example is valid for its schema', async (replies) => {
  const wrong: string[] = [];
  const valid = new Set<string>();
  for (const { name, examples } of printing) {
    for (const example of examples.filter(isPlayed)) {
      const { stdout } = await played(example, replies);
      const validate = validators.get(name);
      const isValid =
        stdout !== '' &&
        stdout
          .split('\n')
          .filter(Boolean)
          .every((line) => validate?.(JSON.parse(line)));
      if (isValid) valid.add(name);
      else wrong.push(`${example}: ${stdout === '' ? 'no output' : ajv.errorsText(validate?.errors)}`);
    }
  }
  expect(wrong).toEqual([]);
  expect(printing.map(({ name }) => name).filter((name) => !valid.has(name))).toEqual([
    'server run',
    'cluster create',
    'sandbox run',
  ]);
});

async function played(example: string, replies: (typeof replyFormats)[number]) {
  const atService = / (auth|profile|sandbox) /.test(example)
    ? (await startSandbox({ replies })).env
    : { STACKOPS_SANDBOX: '1' };
  let clock = seedMoment.getTime();
  const folders = { HOME: temporaryFolder(), ...ownFolders() };
  const options = {
    env: { ...folders, SHELL: '/bin/bash', EDITOR: 'true', ...atService },
    sandbox: { replies },
    stdin: stdinOfPreparations,
    now: () => new Date(clock),
  };
  for (const line of preparations.flatMap(([pattern, lines]) => (pattern.test(example) ? lines : []))) {
    await run(wordsOf(line), options);
    // Its action ends before the example.
    clock += 3000;
  }
  const words = [...wordsOf(example.replace(/ --(fields|output) \S+| --json| < \S+/g, '')), '--json'];
  return inFolder(exampleFolder(), async () => {
    const ran = await run(words, options);
    const [, isTyped, name = ''] = /"hint":"stackops .* (?:-y|(--confirm) ('[^']*'|[^'"\s]+))"/.exec(ran.stderr) ?? [];
    if (ran.code !== 2 || (isTyped === undefined && !/ -y"/.test(ran.stderr))) return ran;
    return run([...words, ...(isTyped ? ['--confirm', name.replaceAll("'", '')] : ['-y'])], options);
  });
}

test('one command has a schema; a group and a command without JSON have none', transcriptFile);
