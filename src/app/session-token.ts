import { noToken, type RunForOutput, tokenCommandOf } from '../auth/token-command.ts';
import { type FoundToken, findToken, fromEnvironment, notSignedIn } from '../auth/token-source.ts';
import type { Host } from '../cli/host.ts';
import type { Folders } from '../files/folders.ts';
import { baseUrlOf } from '../settings/addresses.ts';
import type { Settings, Sources } from '../settings/settings.ts';
import { once } from './once.ts';
import { profileProgramHost } from './programs.ts';

const sandboxToken = 'sandbox_all';

/** A real token is never sent to the sandbox. A sandbox token such as `sandbox_public` is used for its scopes. */
export function tokenOfSandbox({ env }: Host): FoundToken {
  const given = env['STACKOPS_TOKEN'];
  if (!given?.startsWith('sandbox_')) return { token: sandboxToken, origin: { kind: 'sandbox' } };
  return { token: given, origin: fromEnvironment };
}

interface TokenParts extends Required<Pick<Sources, 'folders' | 'warn' | 'keepsRights'>> {
  readonly settings: Settings;
  readonly isSandbox: () => boolean;
  /** TAB never runs a token command. */
  readonly isTab: boolean;
}

/** The token of one run, and the token command of its profile, which runs again only where its token was refused. */
export function sessionTokens(host: Host, { settings, isSandbox, isTab, ...files }: TokenParts) {
  const { folders } = files;
  const run = isTab ? refuseToRun : runnerFor(host, folders);
  const tokenCommand = once(() => tokenCommandOf(settings, run, host.redactor.hide));
  const find = async (refused?: string): Promise<FoundToken> => {
    if (isSandbox()) return tokenOfSandbox(host);
    const { env } = host;
    const { profile } = settings;
    const found = await findToken({
      ...files,
      env,
      profile,
      command: tokenCommand,
      baseUrl: baseUrlOf(settings),
      refused,
    });
    if (!found) throw notSignedIn(profile);
    return found;
  };
  let held: Promise<FoundToken> | undefined;
  const token = async (refused?: string): Promise<FoundToken> => {
    held ??= find();
    if ((await held).token === refused) held = find(refused);
    return held;
  };
  return { token, tokenCommand };
}

/** Set in the environment of a token command, which may itself run stackops. */
const insideVariable = 'STACKOPS_IN_TOKEN_COMMAND';

export const tokenRules = { limitMs: 3000, mostBytes: 8192, late: 'printed no token', fault: noToken };

function runnerFor(host: Host, folders: () => Folders): RunForOutput {
  return async (commandLine, place) => {
    if (host.env[insideVariable]) throw noToken(`${place} runs stackops, which would run it again`);
    const { runForOutput } = await import('../programs/run-for-output.ts');
    const own = profileProgramHost(host, folders().config, { [insideVariable]: '1' });
    return runForOutput(own, tokenRules, commandLine, place);
  };
}

const refuseToRun: RunForOutput = async (_commandLine, place) => {
  throw noToken(`${place} is not run here`);
};
