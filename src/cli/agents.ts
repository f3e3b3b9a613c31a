import { writesWithInput } from '../contract/command.ts';
import type { Input } from '../contract/field.ts';
import { isObject } from '../contract/values/json.ts';
import { shellWord } from '../contract/values/text.ts';
import { CliError } from '../errors/cli-error.ts';
import { maskResult } from '../output/masked.ts';
import type { Result } from '../output/result.ts';
import type { Run } from './app.ts';
import { effectsOf } from './help/effects.ts';
import { findAgentVariable } from './host.ts';

type AgentMode = 'read' | 'plan' | 'safe' | 'write';

/** Throws `forbidden` if agents may not run it. Without `input` a command passes that only its input makes a write. */
export function assertAgentAllowed(run: Run, input?: Input): void {
  const mode = restrictedMode(run);
  const refusal = mode && (refusalText(run) ?? changeRefusalText(run, mode, input));
  if (refusal) throw agentError(run, refusal);
}

/** Throws `forbidden` for an agent that may not confirm a change by typing a name. */
export function assertAgentMayType(run: Run): void {
  if (restrictedMode(run)) throw agentError(run, refusals.typed);
}

/** Throws `forbidden` for an agent if the result itself is a secret: `env get` of a password. */
export function assertNoSecretGiven(run: Run, { value, reply, revealed = [] }: Result): void {
  if (revealed.length === 0 || !restrictedMode(run)) return;
  const rows = [maskResult({ value, reply, presentation: { kind: 'nothing' } }).value].flat();
  const maskedPaths = rows.flatMap((row) => (isObject(row) && Array.isArray(row['masked']) ? row['masked'] : []));
  if (maskedPaths.some((path) => revealed.includes(path))) throw agentError(run, refusals.secret);
}

const refusals = {
  read: 'may only read',
  plan: 'may only plan',
  typed: 'may not make changes that are confirmed by a typed name',
  secret: 'may not read secrets',
  settings: 'may not change settings, profiles or the sign-in',
};

function restrictedMode({ app, session }: Run): Exclude<AgentMode, 'write'> | undefined {
  if (findAgentVariable(app.env) === undefined || session.sandboxNotice() !== undefined) return undefined;
  const mode = session.settings.get('agents').value as AgentMode;
  return mode === 'write' ? undefined : mode;
}

function refusalText({ line: { command }, view }: Run): string | undefined {
  const { restriction, output } = command;
  if (restriction === 'settings') return refusals.settings;
  // `api` commands (`raw`) have other rules. Rows of a record type with `isSecret` are checked when they are printed.
  const mayPrintSecret = restriction !== 'raw' && effectsOf(command).includes('prints_secret');
  return view.reveal || (mayPrintSecret && !output.reply?.record?.isSecret) ? refusals.secret : undefined;
}

function changeRefusalText(run: Run, mode: AgentMode, input?: Input) {
  const { command } = run.line;
  const { restriction, confirm } = command;
  const isUnplannable = restriction === 'server' || restriction === 'raw';
  const isChange = isUnplannable || (input ? writesWithInput(command, input) : command.changes === true);
  if (!isChange) return undefined;
  if (mode === 'read') return refusals.read;
  if (run.writeOptions.dryRun) return undefined;
  if (mode === 'plan' || isUnplannable) return refusals.plan;
  const needsTypedName = confirm?.level === 'typed' && confirm.when === undefined;
  return needsTypedName || (!command.isLocal && run.isProtected()) ? refusals.typed : undefined;
}

function agentError({ line: { command, words }, session: { settings } }: Run, refusal: string): CliError {
  const message = `agents ${refusal} in profile ${settings.profile} (agents=${settings.get('agents').value})`;
  const [firstArgument = ''] = command.positionals;
  const choosesStack = refusal === refusals.settings && command.params[firstArgument]?.target === 'stack';
  const hint = `name the stack in each command: -s ${shellWord(words[0] ?? '')}`;
  return new CliError('forbidden', message, choosesStack ? { hint } : { correction: {} });
}
