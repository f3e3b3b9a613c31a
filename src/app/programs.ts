import type { Host } from '../cli/host.ts';
import type { ProgramServices } from '../commands/child-program.ts';
import { secretVariables } from '../output/gate/gate.ts';
import type { ProgramHost } from './run-for-output.ts';

/** What commands that run a program need of the process. */
export function programsFor(host: Host, setExitCode: (code: number) => void): ProgramServices {
  return {
    env: programEnv(host),
    platform: host.platform,
    get sharesTerminal() {
      return sharesTerminal(host);
    },
    lendSignals: host.lendSignals ?? ((_, work) => work()),
    setExitCode,
  };
}

/** The process as a program of the profile may use it, with more in its environment. */
export function profileProgramHost(host: Host, folder: string, more: Host['env']): ProgramHost {
  const { platform, signal, deadline, signalGroup } = host;
  return {
    env: { ...programEnv(host), ...more },
    platform,
    // Not the working folder, whose files may be anybody's.
    folder,
    signal,
    deadline,
    signalGroup: sharesTerminal(host) ? undefined : signalGroup,
  };
}

/** Our environment without our credentials. */
function programEnv({ env }: Host): Host['env'] {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isCredential(name)));
}

function isCredential(name: string): boolean {
  return secretVariables.some((secret) => secret === name);
}

/** Whether one of our streams is a terminal. */
function sharesTerminal({ stdinTerminal, out, err }: Host): boolean {
  return stdinTerminal || out.terminal || err.terminal;
}
