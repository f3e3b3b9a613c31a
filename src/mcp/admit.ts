import type { ServedCall } from '../cli/app.ts';
import { argumentsOf, type Flag, flagsOf, targetKindsOf } from '../cli/arguments/arguments.ts';
import { globalOptions, type Invocation, type OptionName, type TypedCommand } from '../cli/arguments/options.ts';
import { addedEffects, effectsOf } from '../cli/help/effects.ts';
import type { RawHost } from '../cli/host.ts';
import type { Command } from '../contract/command.ts';
import { type CommandEffect, effectMeanings } from '../contract/effects.ts';
import type { Field } from '../contract/field.ts';
import { isObject } from '../contract/values/json.ts';
import { CliError } from '../errors/cli-error.ts';

/** Returns the call on stdin, and the parts of the host that the call replaces; undefined if stdin holds no call. */
export async function readServedCall(rawHost: RawHost) {
  const call = parseCall(Buffer.from(await rawHost.readStdin(1024 * 1024)).toString('utf8'));
  if (!call) return undefined;
  const readStdin = async (): Promise<never> => {
    throw refusedCallError('stdin', 'cannot be read here');
  };
  const env = call.stacks.length === 1 ? { ...rawHost.env, STACKOPS_STACK: call.stacks[0] } : rawHost.env;
  return { spec: call, host: { argv: call.argv, env, reference: () => call.reference, readStdin } };
}

function parseCall(text: string): ServedCall | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isServedCall(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const toolNames: readonly unknown[] = ['commands', 'help', 'read', 'plan', 'change'] satisfies ServedCall['tool'][];

function isServedCall(value: unknown): value is ServedCall {
  if (!isObject(value)) return false;
  const { tool, argv, start, stacks, reference, confirm = '', planned = { requests: [], basis: '' } } = value;
  if (!isObject(start) || !isObject(planned)) return false;
  const startOptions = Object.values(start).filter((option) => option !== true);
  const lists = [argv, stacks, startOptions.flat(), planned['requests'], [planned['basis'], reference, confirm]];
  const isListOfTexts = (list: unknown) => Array.isArray(list) && list.every((text) => typeof text === 'string');
  return toolNames.includes(tool) && lists.every(isListOfTexts);
}

const readToolEffects: readonly CommandEffect[] = ['reads_service', 'reads_machine'];
const changeToolEffects: readonly CommandEffect[] = [...readToolEffects, 'changes_service'];

/** Returns the tool that may run a command; undefined if no tool may run it, as for the commands of `sandbox`. */
export function toolFor(path: string, command: Command): 'read' | 'change' | undefined {
  if (path.startsWith('sandbox ')) return undefined;
  const effects = effectsOf(command);
  if (effects.length === 0 || !effects.every((effect) => changeToolEffects.includes(effect))) return undefined;
  return effects.includes('changes_service') ? 'change' : 'read';
}

/** Options that a call may not use: the server sets them, or they would select another service or give consent. */
const refusedFlags: OptionName[] = ['profile', 'base_url', 'sandbox', 'yes', 'confirm', 'json', 'output', 'jq', 'curl'];

/** Adds the flags of the tool to the command line of a call. Throws `forbidden` if the tool may not run the line. */
export function admitInvocation(invocation: Invocation, call: ServedCall): Invocation {
  if (invocation.kind === 'text' && call.tool === 'help') return invocation;
  if (invocation.kind === 'text') throw refusedCallError('help', 'is the tool "commands" here');
  refuseWrongCommand(invocation, call);
  refuseForbiddenFlags(invocation, call);
  if (call.stacks.length > 0) refuseOtherStacks(invocation);
  return { ...invocation, options: addToolOptions(invocation, call) };
}

function refuseWrongCommand({ command, path }: TypedCommand, { tool }: ServedCall): void {
  const requiredTool = toolFor(path, command);
  if (tool === 'commands' ? path === 'commands' : requiredTool === (tool === 'plan' ? 'change' : tool)) return;
  if (requiredTool)
    throw refusedCallError(`"${path}"`, `needs the tool "${requiredTool === 'read' ? 'read' : 'plan'}"`);
  const refusedEffects = effectsOf(command).filter((effect) => !changeToolEffects.includes(effect));
  const why = refusedEffects.map((effect) => effectMeanings[effect]).join(', ');
  throw refusedCallError(`"${path}"`, why || 'is not offered here');
}

function refuseForbiddenFlags(typedCommand: TypedCommand, { tool }: ServedCall): void {
  const allowedEffects = tool === 'plan' || tool === 'change' ? changeToolEffects : readToolEffects;
  for (const { shown, effects, why } of usedParts(typedCommand)) {
    const refusedEffect = effects.find((effect) => !allowedEffects.includes(effect));
    const reason = why ?? (refusedEffect && effectMeanings[refusedEffect]);
    if (reason) throw refusedCallError(shown, reason);
  }
}

interface UsedPart {
  readonly shown: string;
  readonly effects: readonly CommandEffect[];
  /** Reason to refuse the part whatever its effects; undefined if only its effects count. */
  readonly why?: string | undefined;
}

function usedParts({ command, flags, options, words }: TypedCommand): readonly UsedPart[] {
  const usedOptions = globalOptions.filter(({ name }) => options[name] !== undefined);
  const usedFlags = flagsOf(command).filter(({ long }) => flags[long] !== undefined);
  const usedArguments = argumentsOf(command).slice(0, words.length);
  return [
    ...usedOptions.map(({ name, long: shown, field: { effects = [] } }) => {
      return { shown, effects, why: refusedFlags.includes(name) ? 'is not taken here' : undefined };
    }),
    { shown: '--stack', effects: /^(-$|@)/.test(options.stack ?? '') ? ['reads_file'] : [] },
    ...usedFlags.map((flag) => ({ shown: flag.long, effects: addedEffects(flag, command), why: refusalReason(flag) })),
    ...usedArguments.map((argument) => ({ shown: argument.shown, effects: addedEffects(argument, command) })),
  ];
}

function refusalReason({ name, takes }: Flag): string | undefined {
  if (name === 'watch') return 'is not taken here';
  return takes === 'stdin' ? 'cannot be read here' : undefined;
}

/** Refuses flags and commands that show other stacks. `within-stacks.ts` refuses only requests for other stacks. */
function refuseOtherStacks({ command, flags, path }: TypedCommand): void {
  const stackFlag = flagsOf(command).find(({ field, long }) => namesStack(field) && flags[long] !== undefined);
  if (stackFlag) throw refusedCallError(stackFlag.long, 'may name other stacks');
  const { stack, stack_name } = command.output.reply?.record?.fields ?? {};
  if ((stack ?? stack_name) && !targetKindsOf(command).has('stack'))
    throw refusedCallError(`"${path}"`, 'shows other stacks');
}

function namesStack({ of }: Field): boolean {
  const item = of as Field | undefined;
  return item?.nameKind === 'stack' && item.assigns !== undefined;
}

function addToolOptions({ command, options }: TypedCommand, { tool, start, confirm }: ServedCall) {
  const targets = targetKindsOf(command);
  const { server_group, ...connection } = start;
  return {
    ...connection,
    ...(targets.has('server-group') && server_group !== undefined && { server_group }),
    ...options,
    json: true,
    no_input: true,
    ...(tool === 'plan' && { dry_run: true }),
    ...(tool === 'change' && { yes: true, ...(command.wait === 'on request' && { wait: true }) }),
    ...(tool === 'change' && confirm !== undefined && { confirm: [confirm] }),
  };
}

function refusedCallError(what: string, why: string): CliError {
  return new CliError('forbidden', `stackops mcp does not run this: ${what} ${why}`);
}
