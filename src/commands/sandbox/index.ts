import { once } from 'node:events';
import { localCommand, writeLocally } from '../../builders/local-command.ts';
import type { Menu } from '../../contract/command.ts';
import { flag, integer, many, oneOf, optional, text, type Values } from '../../contract/field.ts';
import { CliError } from '../../errors/cli-error.ts';
import { sandboxFile } from '../../files/folders.ts';
import { removeFile } from '../../files/replace-file.ts';
import { runProgram } from '../../programs/run.ts';
import { replyForms } from '../../sandbox/replies/forms.ts';
import type { RunningSandbox, SandboxOptions } from '../../sandbox/server/server.ts';
import { scenarioNames } from '../../sandbox/state.ts';

const scenario = optional(
  oneOf(scenarioNames, 'What to begin with (default: a quiet day).', { placeholder: 'scenario' }),
);

const behaviour = {
  scenario,
  scope: optional(
    many(oneOf(['public', 'users', 'admin', 'redeploy'], 'One scope.'), 'Scopes of its token (default: all).'),
  ),
  replies: optional(oneOf(replyForms, 'Form of its responses (default: documented).')),
  fail_actions: optional(flag('Make actions and deployments fail.')),
  strict: optional(flag('Reject requests that the API document does not allow.')),
};

/** The application of a served sandbox, for `variant ramp --check-url`. */
const health = {
  health: optional(integer('Port of an application with a canary.', { range: [0, 65_535], placeholder: 'port' })),
  fail_above: optional(integer('Its canary fails with more traffic.', { range: [0, 100], unit: 'percent' })),
  hang_above: optional(integer('Its canary hangs with more traffic.', { range: [0, 100], unit: 'percent' })),
};

const start = localCommand({
  moreEffects: [],
  about: 'Serve a fresh sandbox until Ctrl-C; print its environment variables.',
  params: {
    port: optional(integer('Port (default: any free one).', { range: [0, 65_535] })),
    fail: optional(
      many(
        text('One rule.'),
        'Failures to simulate, such as `POST /stacks/*/deployments=503x2`. `reset` drops the connection after the change; `throttled` is the rate limit.',
        { placeholder: 'rule' },
      ),
    ),
    latency: optional(
      integer('Delay of every response, such as 200ms or 2s.', { unit: 'ms', bareUnit: 'ms', range: [0, 60_000] }),
    ),
    speed: optional(integer('Speed of actions and deployments (default: 1).', { range: [1, 1000] })),
    ...health,
    ...behaviour,
  },
  examples: [
    'stackops sandbox start --port 8300',
    "stackops sandbox start --fail 'POST /stacks/*/deployments=503x2' --latency 200ms --speed 10",
    'stackops sandbox start --scenario incident',
    'stackops sandbox start --scope public,redeploy --replies actions --fail-actions',
  ],
  run: async (context, { port = 0, fail = [], latency = 0, speed = 1, health, fail_above, hang_above, ...given }) => {
    const { parseFault } = await import('../../sandbox/server/faults.ts');
    const state = (await import('../../sandbox/seed/seed.ts')).seedState(context.now(), given.scenario);
    const options = { port, faults: fail.map(parseFault), latencyMs: latency, speed, state, ...optionsOf(given) };
    if (health === undefined && (fail_above ?? hang_above) !== undefined) {
      throw new CliError('usage', '--fail-above and --hang-above need --health');
    }
    const { serveHealth } = await import('../../sandbox/server/health.ts');
    await whileServed(options, async (variables, { url, catchUp }) => {
      const limits = { state, catchUp, failAbove: fail_above, hangAbove: hang_above };
      const application = health === undefined ? undefined : await serveHealth({ port: health, ...limits });
      try {
        if (application) context.note(`sandbox: an application with a canary is ${application.url.href}`);
        await context.host.print(exportLines(variables));
        context.note(`sandbox: serving ${url.origin} until Ctrl-C; nothing here is real`);
        const { signal } = context.host;
        if (!signal.aborted) await once(signal, 'abort');
      } finally {
        await application?.close();
      }
    });
  },
  present: () => ({ kind: 'nothing' }),
});

const reset = localCommand({
  moreEffects: ['changes_machine'],
  about: 'Reset the sandbox of `--sandbox` and its history.',
  params: { scenario },
  examples: ['stackops sandbox reset', 'stackops sandbox reset --scenario incident'],
  run: async (context, { scenario }) => {
    return writeLocally(context, { act: 'reset the sandbox and its history' }, async () => {
      const { resetStored } = await import('../../sandbox/stored-state.ts');
      const { journalFile } = await import('../../writes/journal/journal.ts');
      const { openHashKeys } = await import('../../writes/journal/hash-keys.ts');
      const { folders: findFolders } = context.host;
      const folders = findFolders();
      const { forget: exposed } = openHashKeys({ folders: findFolders, ...context });
      await resetStored({ file: sandboxFile(folders), now: context.now, warn: context.warn, exposed }, scenario);
      // The journal is about the old state.
      removeFile(journalFile(folders, true));
    });
  },
  data: () => undefined,
  present: (isReset) => ({ kind: 'done', lines: isReset ? ['Sandbox reset.'] : [] }),
});

const run = localCommand({
  moreEffects: [],
  about: 'Run a program against a fresh sandbox; exit with its code.',
  output: { kind: 'program' },
  params: {
    command: many(text('Program and its arguments.'), 'Program and its arguments, after `--`.', {
      empty: 'An empty one is passed on.',
    }),
    ...behaviour,
  },
  positionals: ['command'],
  examples: ['stackops sandbox run -- ./deploy.sh', "stackops sandbox run -- sh -c 'stackops stack list'"],
  run: ({ host: { programs } }, { command, ...given }) =>
    whileServed(optionsOf(given), async (variables) => {
      const env = { ...programs.env, ...variables, STACKOPS_SANDBOX: undefined };
      programs.setExitCode(await runProgram({ commandLine: command, env }, programs));
    }),
  present: () => ({ kind: 'nothing' }),
});

export const sandboxCommands: Menu = { 'sandbox start': start, 'sandbox reset': reset, 'sandbox run': run };

function optionsOf({ scope, fail_actions = false, ...others }: Values<typeof behaviour>): SandboxOptions {
  return { ...others, failActions: fail_actions, ...(scope && { scopes: scope }) };
}

type Variables = Readonly<Record<string, string>>;

async function whileServed(
  options: SandboxOptions,
  work: (variables: Variables, sandbox: RunningSandbox) => Promise<void>,
) {
  const { startSandbox } = await import('../../sandbox/server/server.ts');
  const sandbox = await startSandbox(options);
  try {
    await work(await variablesOf(sandbox), sandbox);
  } finally {
    await sandbox.close();
  }
}

async function variablesOf({ url, token, clientSecret }: RunningSandbox): Promise<Variables> {
  const { clientId } = await import('../../sandbox/server/oauth.ts');
  return {
    STACKOPS_BASE_URL: url.href,
    STACKOPS_AUTH_URL: url.origin,
    STACKOPS_TOKEN: token,
    STACKOPS_CLIENT_ID: clientId,
    STACKOPS_CLIENT_SECRET: clientSecret,
  };
}

function exportLines(variables: Variables): string {
  // No value needs quoting in a shell.
  return Object.entries(variables)
    .map(([name, value]) => `export ${name}=${value}\n`)
    .join('');
}
