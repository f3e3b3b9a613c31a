import { once } from 'node:events';
import { customCommand, localCommand, writeLocally } from '../../builders/custom-command.ts';
import type { Context, Menu, Presentation } from '../../contract/command.ts';
import { flag, integer, many, oneOf, optional, text, type Values } from '../../contract/field.ts';
import { stackParam } from '../../contract/params.ts';
import type { Row } from '../../contract/record.ts';
import { rows } from '../../contract/reply.ts';
import { CliError } from '../../errors/cli-error.ts';
import { runProgram } from '../../programs/run.ts';
import { replyFormats } from '../../sandbox/replies/forms.ts';
import type { RunningSandbox, SandboxOptions } from '../../sandbox/server/server.ts';
import { type State, scenarioNames } from '../../sandbox/state.ts';
import { sandboxProfile } from '../../settings/settings.ts';
import { AcceptedRequest, acceptedLines, acceptedRows, VerifiedChange, verifiedLines } from './accepted.ts';
import { CopiedStack, sourceCalls } from './read-source.ts';

const scenarioParam = optional(
  oneOf(scenarioNames, 'What to begin with (default: a quiet day).', { placeholder: 'scenario' }),
);

const behaviourParams = {
  scenario: scenarioParam,
  scope: optional(
    many(oneOf(['public', 'users', 'admin', 'redeploy'], 'One scope.'), 'Scopes of its token (default: all).'),
  ),
  replies: optional(oneOf(replyFormats, 'Form of its responses (default: documented).')),
  fail_actions: optional(flag('Make actions and deployments fail.')),
  strict: optional(flag('Reject requests that the API document does not allow.')),
};

/** Flags of the application that runs beside a served sandbox, so that `variant ramp --check-url` has one to check. */
const healthParams = {
  health: optional(integer('Port of an application with a canary.', { range: [0, 65_535], placeholder: 'port' })),
  fail_above: optional(integer('Its canary fails with more traffic.', { range: [0, 100], unit: 'percent' })),
  hang_above: optional(integer('Its canary hangs with more traffic.', { range: [0, 100], unit: 'percent' })),
};

const cloneCommand = customCommand({
  moreEffects: ['changes_machine'],
  about: 'Make the sandbox of `--sandbox` a copy of real stacks, without their secrets.',
  params: {
    stack_id: optional(stackParam),
    anonymous: optional(flag('Replace IP and e-mail addresses and names, too.')),
    replace: optional(flag('Replace a sandbox that has changes; -y does not.')),
  },
  examples: ['stackops sandbox clone -s shop', 'stackops sandbox clone -s shop,blog/staging --anonymous --replace'],
  calls: sourceCalls,
  reply: rows(CopiedStack),
  showsSeveral: true,
  exits: [[1, 'cancelled']],
  run: async (context, input, findStacks) => (await import('./clone.ts')).cloneStacks(context, input, findStacks),
});

const verifyCommand = customCommand({
  moreEffects: ['reads_machine'],
  about: 'Compare the changes of the copy in the sandbox with the service; send none.',
  params: { stack_id: optional(stackParam) },
  examples: ['stackops sandbox verify', 'stackops sandbox verify -s shop --json'],
  calls: sourceCalls,
  reply: rows(VerifiedChange),
  severalStacks: false,
  isRead: true,
  exits: [
    [3, 'the stack is not in the copy'],
    [6, 'the sandbox is not a copy'],
    [10, 'a change is not valid any more, or not possible'],
  ],
  run: async (context) => (await import('./verify.ts')).verifyStoredSandbox(context),
  present: (changes, _, { terminal }) => presentVerified(changes, terminal),
});

const cloneParam = optional(
  many(text('Stack.', { nameKind: 'stack' }), 'Begin with a copy of these stacks, as `clone` makes it.', {
    placeholder: 'stacks',
    effects: ['reads_service'],
  }),
);

const startCommand = localCommand({
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
    clone: cloneParam,
    ...healthParams,
    ...behaviourParams,
  },
  examples: [
    'stackops sandbox start --port 8300',
    "stackops sandbox start --fail 'POST /stacks/*/deployments=503x2' --latency 200ms --speed 10",
    'stackops sandbox start --scenario incident',
    'stackops sandbox start --clone shop',
    'stackops sandbox start --scope public,redeploy --replies actions --fail-actions',
  ],
  run: async (context, { port = 0, fail = [], latency = 0, speed = 1, health, fail_above, hang_above, ...rest }) => {
    const { parseFault } = await import('../../sandbox/server/faults.ts');
    const faults = fail.map(parseFault);
    if (health === undefined && (fail_above ?? hang_above) !== undefined) {
      throw new CliError('usage', '--fail-above and --hang-above need --health');
    }
    const options = { port, faults, latencyMs: latency, speed, ...(await sandboxOptions(context, rest)) };
    const { state } = options;
    const { serveApplication } = await import('../../sandbox/server/health.ts');
    await withRunningSandbox(options, async (variables, { url, catchUp }) => {
      const healthOptions = { state, catchUp, failAbove: fail_above, hangAbove: hang_above };
      const application = health === undefined ? undefined : await serveApplication({ port: health, ...healthOptions });
      try {
        if (application) context.note(`sandbox: an application with a canary is ${application.url.href}`);
        // The values need no quotes in a shell.
        const exportLines = Object.entries(variables).map(([name, value]) => `export ${name}=${value}\n`);
        await context.host.print(exportLines.join(''));
        context.note(`sandbox: serving ${url.origin} until Ctrl-C; nothing here is real`);
        await noteCopy(context, state);
        const { signal } = context.host;
        if (!signal.aborted) await once(signal, 'abort');
      } finally {
        await application?.close();
      }
    });
  },
  present: () => ({ kind: 'nothing' }),
});

const resetCommand = localCommand({
  moreEffects: ['changes_machine'],
  about: 'Reset the sandbox of `--sandbox` and its history.',
  params: { scenario: scenarioParam },
  examples: ['stackops sandbox reset', 'stackops sandbox reset --scenario incident'],
  run: (context, { scenario }) =>
    writeLocally(context, 'reset the sandbox and its history', async () => {
      const { resetStoredState } = await import('../../sandbox/stored-state.ts');
      const { removeSandboxJournal, locateStoredSandbox } = await import('./clone.ts');
      await resetStoredState(locateStoredSandbox(context), scenario);
      removeSandboxJournal(context);
    }),
  data: () => undefined,
  present: (isReset) => ({ kind: 'done', lines: isReset ? ['Sandbox reset.'] : [] }),
});

const runCommand = localCommand({
  moreEffects: [],
  about: 'Run a program against a fresh sandbox; exit with its code.',
  output: { kind: 'program', reply: rows(AcceptedRequest) },
  params: {
    clone: cloneParam,
    verify: optional(flag('With --clone: then compare as `verify` does.')),
    command: many(text('Program and its arguments.'), 'Program and its arguments, after `--`.', {
      empty: 'An empty one is passed on.',
    }),
    ...behaviourParams,
  },
  positionals: ['command'],
  examples: [
    'stackops sandbox run -- ./deploy.sh',
    "stackops sandbox run -- sh -c 'stackops stack list'",
    'stackops sandbox run --clone shop --verify -- ./deploy.sh',
  ],
  exits: [[10, 'with --verify: a change is not valid any more, or not possible']],
  run: async (context, { command, verify: shouldVerify, ...rest }) => {
    const { programs, print, settings } = context.host;
    if (shouldVerify && !rest.clone) throw new CliError('usage', '--verify needs --clone');
    const options = await sandboxOptions(context, rest);
    const { state } = options;
    let exitCode = 0;
    await withRunningSandbox(options, async (variables) => {
      await noteCopy(context, state);
      // A copy has the stacks of the service, so the default stack and account of the profile apply.
      const targetVariables = rest.clone && {
        STACKOPS_STACK: settings.get('stack').value,
        STACKOPS_ACCOUNT: settings.get('account').value,
      };
      const profileVariables = { STACKOPS_PROFILE: sandboxProfile, STACKOPS_SANDBOX: undefined };
      const env = { ...programs.env, ...variables, ...targetVariables, ...profileVariables };
      const program = { commandLine: command, env, ...(context.printsData && { toStderr: true as const }) };
      exitCode = await runProgram(program, programs);
      programs.setExitCode(exitCode);
    });
    // Without a copy or JSON output, only the program prints.
    if (!(rest.clone || context.printsData)) return undefined;
    const requests = acceptedRows(state, context.reveal);
    if (!shouldVerify) return requests;
    for (const line of acceptedLines(requests)) context.printsData ? context.note(line) : await print(`${line}\n`);
    const { verifyState, verifiedRows } = await import('./verify.ts');
    // A difference changes the exit code only if the program succeeded.
    return exitCode === 0 ? verifyState(context, state) : verifiedRows(context, state);
  },
  present: (rows, { verify: shouldVerify }, { terminal }) => {
    if (!rows) return { kind: 'nothing' };
    if (shouldVerify) return presentVerified(rows, terminal);
    const empty = 'The program changed nothing.';
    return { kind: 'table', record: AcceptedRequest, rows, empty, ...(terminal && { text: acceptedLines }) };
  },
});

export const sandboxCommands: Menu = {
  'sandbox start': startCommand,
  'sandbox reset': resetCommand,
  'sandbox clone': cloneCommand,
  'sandbox run': runCommand,
  'sandbox verify': verifyCommand,
};

function presentVerified(changes: readonly Row[], terminal: boolean): Presentation {
  const empty = 'No changes to compare.';
  return { kind: 'table', record: VerifiedChange, rows: changes, empty, ...(terminal && { text: verifiedLines }) };
}

type SandboxInput = Values<typeof behaviourParams> & { readonly clone?: readonly string[] };

async function sandboxOptions(context: Context, input: SandboxInput) {
  const { clone: names, scenario, scope: scopes, fail_actions: failActions, replies, strict } = input;
  if (names && scenario) throw new CliError('usage', 'use --clone or --scenario, not both');
  const state: State = names
    ? await (await import('./clone.ts')).copyNamedStacks(context, names)
    : (await import('../../sandbox/seed/seed.ts')).seedState(context.now(), scenario);
  return { state, scopes, failActions, replies, strict } satisfies SandboxOptions;
}

async function noteCopy(context: Context, state: State): Promise<void> {
  const { copyNotice } = await import('../../sandbox/stored-state.ts');
  const notice = copyNotice(state, context.now());
  if (notice) context.note(notice);
}

type UseSandbox = (variables: Readonly<Record<string, string>>, sandbox: RunningSandbox) => Promise<void>;

async function withRunningSandbox(options: SandboxOptions, work: UseSandbox): Promise<void> {
  const { startSandbox } = await import('../../sandbox/server/server.ts');
  const { clientId } = await import('../../sandbox/server/oauth.ts');
  const sandbox = await startSandbox(options);
  const { url, token, clientSecret } = sandbox;
  const variables = {
    STACKOPS_BASE_URL: url.href,
    STACKOPS_AUTH_URL: url.origin,
    STACKOPS_TOKEN: token,
    STACKOPS_CLIENT_ID: clientId,
    STACKOPS_CLIENT_SECRET: clientSecret,
  };
  try {
    await work(variables, sandbox);
  } finally {
    await sandbox.close();
  }
}
