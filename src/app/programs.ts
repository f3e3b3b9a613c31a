import type { Host } from '../cli/host.ts';
import { secretVariables } from '../output/safe/create-output.ts';
import type { ProgramHost } from '../programs/capture.ts';
import type { ForegroundHost } from '../programs/run.ts';

/** Parts of the process for commands that run a program. */
export function programsFor(host: Host, setExitCode: (code: number) => void): ForegroundHost {
  return {
    env: programEnv(host),
    platform: host.platform,
    get sharesTerminal() {
      return sharesTerminal(host);
    },
    withSignalHandler: host.withSignalHandler,
    setExitCode,
  };
}

/** The host for a program of a profile, with `more` variables. It does not run in the working folder: others may have written its files. */
export function profileProgramHost(host: Host, folder: string, more: Host['env']): ProgramHost {
  const { platform, signal, deadline } = host;
  // A program in another process group could not ask at the terminal.
  const signalGroup = sharesTerminal(host) ? undefined : host.signalGroup;
  return { platform, signal, deadline, signalGroup, folder, env: { ...programEnv(host), ...more } };
}

function programEnv({ env }: Host): Host['env'] {
  const isCredential = (name: string) => secretVariables.some((secret) => secret === name);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isCredential(name)));
}

function sharesTerminal({ stdinTerminal, out, err }: Host): boolean {
  return stdinTerminal || out.terminal || err.terminal;
}
