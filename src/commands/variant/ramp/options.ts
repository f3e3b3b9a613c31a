import {
  type Field,
  type Fields,
  flag,
  integer,
  many,
  oneOf,
  optional,
  text,
  type Values,
} from '../../../contract/field.ts';
import { stackParam } from '../../../contract/params.ts';
import { CliError } from '../../../errors/cli-error.ts';
import { splitCommand } from '../../../fields/read-value.ts';
import type { RampRules } from './machine/state.ts';

const longestMs = 30 * 86_400_000;
const makeTimeField = (about: string, leastMs = 1) =>
  integer(about, { unit: 'ms', range: [leastMs, longestMs], placeholder: 'time' });
const shareField = integer('Share.', { range: [1, 100], unit: 'percent' });
const makeCommandField = (about: string) =>
  text(about, { sensitive: true, placeholder: 'cmd', effects: ['runs_program'] });
const makeCheckField = (item: Field<string>, about: string, placeholder: string) =>
  optional(many(item, about, { noSplit: true, sensitive: true, placeholder }));
const makeModeFlag = (about: string) => optional(flag(about, { hiddenInHelp: true }));
const withPreset = <V>(field: Field<V>, preset: V): Field<V, 'optional'> =>
  optional({ ...field, preset, hiddenInHelp: true });

const presetFields = {
  interval: withPreset(makeTimeField('Time between two checks.', 100), 30_000),
  check_timeout: withPreset(makeTimeField('Time limit of a check.'), 10_000),
  initial_delay: withPreset(makeTimeField('Time before the first check of a step.', 0), 30_000),
  min_checks: withPreset(integer('Good results that each step needs.', { range: [1, 1000] }), 3),
  failure_limit: withPreset(integer('Failures that a step survives.', { range: [0, 1000] }), 0),
  hold_limit: withPreset(makeTimeField('Longest hold before it pauses.'), 1_800_000),
  on_failure: withPreset(oneOf(['abort', 'pause'], 'Return the traffic, or leave it.'), 'abort'),
  abort_to: withPreset(integer('Share after an abort.', { range: [0, 99], unit: 'percent' }), 0),
  on_signal: withPreset(oneOf(['pause', 'abort'], 'At SIGTERM or SIGHUP.'), 'pause'),
};

export const rampParams = {
  stack_id: optional(stackParam),
  id: optional(text('Canary (default: the only one).', { label: 'variant', nameKind: 'variant' })),
  steps: optional(many(shareField, 'Shares of traffic, such as 5,25,50,100.', { placeholder: 'shares' })),
  every: optional(makeTimeField('Least time at each share, such as 10m.')),
  check: makeCheckField(makeCommandField('Command.'), 'Exit 0 is good, 75 holds the step; no shell.', 'cmd'),
  check_url: makeCheckField(text('Address.', { sensitive: true }), 'Must answer 2xx.', 'url'),
  only_from: optional(text("Tells the canary: 'X-Revision: {commit}'.", { placeholder: 'header' })),
  expect: optional(text('Text that --check-url must find.', { placeholder: 'text', hiddenInHelp: true })),
  confirm_steps: optional(flag('Ask before each further step.', { hiddenInHelp: true })),
  commit: optional(flag('Make it the active version at the end.')),
  on_event: optional({ ...makeCommandField('Run at each event; JSON on its stdin.'), hiddenInHelp: true } as const),
  status: makeModeFlag('Show the ramp of this stack.'),
  pause: makeModeFlag('End the running ramp; its share stays.'),
  abort: makeModeFlag('End the running ramp; return the traffic.'),
  resume: makeModeFlag('Continue an interrupted ramp.'),
  requests: optional(
    integer('Most requests to meet the canary (default: by share).', { range: [1, 1000], hiddenInHelp: true }),
  ),
  ...presetFields,
};

export type RampInput = Values<typeof rampParams> &
  Required<Values<typeof presetFields>> & { readonly stack_id: string };

const asRequiredField = (field: Field): Field => ({ ...field, presence: 'required', needed: true });

/** The fields of the options in a ramp file. Each option with a preset is required there. */
export const savedOptionFields: Fields = {
  ...rampParams,
  ...Object.fromEntries(Object.entries(presetFields).map(([name, field]) => [name, asRequiredField(field)])),
  stack_id: asRequiredField(stackParam),
};

export const modes = ['status', 'pause', 'abort', 'resume'] as const;
export type Mode = (typeof modes)[number];

/** Returns the requested mode; undefined for a new ramp. Throws `usage` for two modes, or a mode with other flags. */
export function modeOf(input: Partial<RampInput>): Mode | undefined {
  const [mode, other] = modes.filter((one) => input[one]);
  if (mode === undefined) return undefined;
  if (other) throw new CliError('usage', `use --${mode} or --${other}, not both`);
  const isExtraOption = ([name, value]: readonly [string, unknown]) =>
    !['stack_id', mode].includes(name) && value !== (rampParams as Fields)[name]?.preset;
  const [name] = Object.entries(input).find(isExtraOption) ?? [];
  if (name === undefined) return mode;
  const excess = name === 'id' ? 'an argument' : `--${name.replaceAll('_', '-')}`;
  throw new CliError('usage', `--${mode} does not take ${excess}: it acts on the ramp of this stack`);
}

/** Returns the rules of a ramp. Throws `usage` for missing or contradictory flags. */
export function readRules(input: RampInput): RampRules {
  const { steps = [], every, check = [], check_url = [], abort_to: abortTo } = input;
  if (steps.length === 0) throw missingStepsError(input.id);
  refuseInvalidSteps(steps, abortTo);
  if (every === undefined) throw missingError('--every 10m');
  if (check.length + check_url.length === 0) throw missingError('--check or --check-url');
  refuseUnusedUrlOptions(input, check_url);
  return {
    steps,
    abortTo,
    everyMs: every,
    intervalMs: input.interval,
    initialDelayMs: input.initial_delay,
    holdLimitMs: input.hold_limit,
    minChecks: input.min_checks,
    failureLimit: input.failure_limit,
    onFailure: input.on_failure,
    confirmSteps: input.confirm_steps ?? false,
    commit: input.commit ?? false,
    checkCount: check.length + check_url.length,
  };
}

const synonyms: Readonly<Record<string, Mode>> = { stop: 'pause', hold: 'pause', cancel: 'abort', continue: 'resume' };

/** Returns the error for missing --steps. A mode in place of the variant, `variant ramp stop`, becomes `--pause`. */
function missingStepsError(id = ''): CliError {
  const mode = modes.find((one) => one === id) ?? (Object.hasOwn(synonyms, id) ? synonyms[id] : undefined);
  return missingError('--steps 5,25,50,100').with({
    correction: mode && { replace: { word: id, by: [`--${mode}`] } },
  });
}

function refuseInvalidSteps(steps: readonly number[], abortTo: number): void {
  const [first = 0] = steps;
  if (steps.some((share, at) => at > 0 && share <= (steps[at - 1] ?? 0))) {
    throw new CliError('usage', `--steps must ascend, not ${steps.join(',')}`);
  }
  if (abortTo < first) return;
  throw new CliError('usage', `--abort-to must be below the first step (${first} %), not ${abortTo} %`);
}

function refuseUnusedUrlOptions(input: RampInput, addresses: readonly string[]): void {
  for (const optionName of ['only_from', 'expect', 'requests'] as const) {
    if (input[optionName] === undefined || addresses.length > 0) continue;
    throw new CliError('usage', `--${optionName.replace('_', '-')} needs --check-url`);
  }
  if (input.requests === undefined || input.only_from !== undefined) return;
  throw new CliError('usage', '--requests needs --only-from');
}

/** Returns the program and its arguments. Throws `usage` for a command that needs a shell. */
export function readCommand(flagName: string, line: string): readonly string[] {
  const commandLine = splitCommand(line);
  if (commandLine) return commandLine;
  throw new CliError('usage', `${flagName} must be a command without a shell, not "${line}"`, {
    hint: `write ${flagName} "sh -c '…'" for what needs a shell`,
  });
}

/** Returns the URL of `--check-url`. Throws `usage` unless it is http or https, or if it holds a user or a password. */
export function readCheckUrl(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new CliError('usage', '--check-url must be an http or https address');
  if (url.username || url.password) throw new CliError('usage', '--check-url must not hold a user name or a password');
  return url;
}

function missingError(what: string): CliError {
  return new CliError('usage', `missing ${what}`, { hint: { path: 'variant ramp', flags: ['--help'] } });
}
