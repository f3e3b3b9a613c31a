import type { Host } from '../cli/host.ts';
import { secretVariables } from '../output/safe/create-output.ts';
import type { ProgramHost } from '../programs/capture.ts';
import type { ForegroundHost } from '../programs/run.ts';

export function foregroundHostFor(host: Host, setExitCode: (code: number) => void): ForegroundHost {
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

/** Returns the host for a profile's program. The program runs in `folder`: others may write to the working folder. */
export function profileProgramHost(host: Host, folder: string, moreEnv: Host['env']): ProgramHost {
  const { platform, signal, deadline } = host;
  // A program at a terminal stays in our process group. In a group of its own it could not ask at the terminal.
  const signalGroup = sharesTerminal(host) ? undefined : host.signalGroup;
  return { platform, signal, deadline, signalGroup, folder, env: { ...programEnv(host), ...moreEnv } };
}

function programEnv({ env }: Host): Host['env'] {
  const isCredential = (name: string) => secretVariables.some((secret) => secret === name);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isCredential(name)));
}

function sharesTerminal({ stdinTerminal, out, err }: Host): boolean {
  return stdinTerminal || out.terminal || err.terminal;
}
