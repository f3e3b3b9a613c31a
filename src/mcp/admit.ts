import type { ServedCall } from '../cli/app.ts';
import { actsOn, argumentsOf, flagsOf } from '../cli/arguments/arguments.ts';
import { globalOptions, type Invocation, type OptionName, type TypedCommand } from '../cli/arguments/options.ts';
import { addedEffects, effectMeanings, effectsOf } from '../cli/help/effects.ts';
import type { RawHost } from '../cli/host.ts';
import type { Command } from '../contract/command.ts';
import type { CommandEffect, Field } from '../contract/field.ts';
import { isObject } from '../contract/values/json.ts';
import { CliError } from '../errors/cli-error.ts';

/** Reads the call from stdin, and replaces the parts of the process that it may not use. Undefined for other input. */
export async function readServedCall(raw: RawHost) {
  const spec = callIn(Buffer.from(await raw.readStdin(1024 * 1024)).toString('utf8'));
  if (!spec) return undefined;
  const readStdin = async (): Promise<never> => {
    throw refusedCall('stdin', 'cannot be read here');
  };
  const [only, ...others] = spec.stacks;
  const env = only === undefined || others.length > 0 ? raw.env : { ...raw.env, STACKOPS_STACK: only };
  return { spec, host: { argv: spec.argv, env, reference: () => spec.reference, readStdin } };
}

function callIn(text: string): ServedCall | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isCall(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const toolNames: readonly unknown[] = ['commands', 'help', 'read', 'plan', 'change'] satisfies ServedCall['tool'][];

function isCall(value: unknown): value is ServedCall {
  if (!isObject(value)) return false;
  const { tool, argv, start, stacks, reference, confirm = '', planned = { requests: [], basis: '' } } = value;
  const isPlan = isObject(planned) && isTexts(planned['requests']) && isTexts([planned['basis']]);
  const isStart = isObject(start) && Object.values(start).every((one) => one === true || isTexts([one].flat()));
  return (
    toolNames.includes(tool) && isTexts(argv) && isTexts(stacks) && isTexts([reference, confirm]) && isStart && isPlan
  );
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

const reads: readonly CommandEffect[] = ['reads_service', 'reads_machine'];
const changes: readonly CommandEffect[] = [...reads, 'changes_service'];

/** The tool that may run a command; undefined for `sandbox`, and if the command has an effect that no tool allows. */
export function toolFor(path: string, command: Command): 'read' | 'change' | undefined {
  if (path.startsWith('sandbox ')) return undefined;
  const effects = effectsOf(command);
  if (effects.length === 0 || !effects.every((effect) => changes.includes(effect))) return undefined;
  return effects.includes('changes_service') ? 'change' : 'read';
}

/** Flags that a call may not use: the server sets them, or they would change its service or give consent. */
const notTaken: readonly OptionName[] = [
  'profile',
  'base_url',
  'sandbox',
  'yes',
  'confirm',
  'json',
  'output',
  'jq',
  'curl',
];

/** Checks the parsed command line of a call and adds the flags of its tool. Throws forbidden. */
export function admit(invocation: Invocation, call: ServedCall): Invocation {
  if (invocation.kind === 'text' && call.tool === 'help') return invocation;
  if (invocation.kind === 'text') throw refusedCall('help', 'is the tool "commands" here');
  refuseCommand(invocation, call);
  refuseFlags(invocation, call);
  if (call.stacks.length > 0) refuseOtherStacks(invocation);
  return { ...invocation, options: optionsFor(invocation, call) };
}

function refuseCommand({ command, path }: TypedCommand, { tool }: ServedCall): void {
  const offering = toolFor(path, command);
  if (tool === 'commands' ? path === 'commands' : offering === (tool === 'plan' ? 'change' : tool)) return;
  const outside = effectsOf(command).filter((effect) => !changes.includes(effect));
  const why = outside.map((effect) => effectMeanings[effect]).join(', ') || 'is not offered here';
  throw refusedCall(
    `"${path}"`,
    offering === undefined ? why : `needs the tool "${offering === 'read' ? 'read' : 'plan'}"`,
  );
}

type RefuseEffects = (shown: string, effects: readonly CommandEffect[]) => void;

function refuseFlags(line: TypedCommand, { tool }: ServedCall): void {
  const allowed = tool === 'plan' || tool === 'change' ? changes : reads;
  const refuseEffects: RefuseEffects = (shown, effects) => {
    const outside = effects.find((effect) => !allowed.includes(effect));
    if (outside) throw refusedCall(shown, effectMeanings[outside]);
  };
  refuseOptions(line, refuseEffects);
  refuseOwnFlags(line, refuseEffects);
}

function refuseOptions({ options }: TypedCommand, refuseEffects: RefuseEffects): void {
  for (const { name, long, field } of globalOptions) {
    if (options[name] === undefined) continue;
    if (notTaken.includes(name)) throw refusedCall(long, 'is not taken here');
    refuseEffects(long, field.effects ?? []);
  }
  if (/^(-$|@)/.test(options.stack ?? '')) throw refusedCall('--stack', effectMeanings.reads_file);
}

function refuseOwnFlags({ command, flags, words }: TypedCommand, refuseEffects: RefuseEffects): void {
  for (const flag of flagsOf(command)) {
    if (flags[flag.long] === undefined) continue;
    if (flag.name === 'watch') throw refusedCall(flag.long, 'is not taken here');
    if (flag.takes === 'stdin') throw refusedCall(flag.long, 'cannot be read here');
    refuseEffects(flag.long, addedEffects(flag, command));
  }
  argumentsOf(command).forEach((argument, at) => {
    if (words.length > at) refuseEffects(argument.shown, addedEffects(argument, command));
  });
}

/** Refuses flags and commands that reach other stacks without a lookup; lookups are limited elsewhere (`within-stacks.ts`). */
function refuseOtherStacks({ command, flags, path }: TypedCommand): void {
  const assigned = flagsOf(command).find(({ field, long }) => namesStack(field) && flags[long] !== undefined);
  if (assigned) throw refusedCall(assigned.long, 'may name other stacks');
  const { stack, stack_name } = command.output.reply?.record?.fields ?? {};
  if ((stack ?? stack_name) && !actsOn(command).has('stack')) throw refusedCall(`"${path}"`, 'shows other stacks');
}

function namesStack({ of }: Field): boolean {
  const item = of as Field | undefined;
  return item?.names === 'stack' && item.assigns !== undefined;
}

function optionsFor({ command, options }: TypedCommand, { tool, start, confirm }: ServedCall) {
  const places = actsOn(command);
  const { server_group, ...connection } = start;
  return {
    ...connection,
    ...(places.has('server-group') && server_group !== undefined && { server_group }),
    ...options,
    json: true,
    no_input: true,
    ...(tool === 'plan' && { dry_run: true }),
    ...(tool === 'change' && { yes: true, ...(command.wait === 'on request' && { wait: true }) }),
    ...(tool === 'change' && confirm !== undefined && { confirm: [confirm] }),
  };
}

function refusedCall(what: string, why: string): CliError {
  return new CliError('forbidden', `stackops mcp does not run this: ${what} ${why}`);
}
