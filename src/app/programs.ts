import type { Host } from '../cli/host.ts';
import type { ProgramServices } from '../commands/child-program.ts';
import { secretVariables } from '../output/gate/gate.ts';

/** What commands that run a program need of the process. */
export function programsFor(host: Host, setExitCode: (code: number) => void): ProgramServices {
  return {
    env: programEnv(host),
    get sharesTerminal() {
      return sharesTerminal(host);
    },
    lendSignals: host.lendSignals ?? ((_, work) => work()),
    setExitCode,
  };
}

/** Our environment without our credentials. */
export function programEnv({ env }: Host): Host['env'] {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isCredential(name)));
}

function isCredential(name: string): boolean {
  return secretVariables.some((secret) => secret === name);
}

/** Whether one of our streams is a terminal. */
export function sharesTerminal({ stdinTerminal, out, err }: Host): boolean {
  return stdinTerminal || out.terminal || err.terminal;
}
