import { version } from '../package.json';
import { openBrowser } from './auth/browser.ts';
import { runStackops } from './cli/stackops.ts';
import type { World } from './cli/world.ts';
import { type MenuServices, nouns } from './commands/index.ts';
import type { Host } from './host.ts';
import { postForm } from './post-form.ts';
import { readText } from './read-text.ts';
import { accounts } from './resources/account.ts';
import { type OpenSession, openSession, sandboxFile } from './session.ts';

/** Wires the rooms together for one command line and returns its exit code. */
export async function compose(host: Host): Promise<number> {
  let current: OpenSession | undefined;
  const session = (): OpenSession => {
    if (!current) throw new Error('a command ran without a session');
    return current;
  };
  const ask = canAsk(host) ? host.ask : undefined;
  let programCode = 0;
  const setExitCode = (code: number): void => {
    programCode = code;
  };
  const services = servicesFor({ host, session, ask, setExitCode });
  const world: World = {
    version,
    env: host.env,
    out: host.out,
    err: host.err,
    nouns: nouns.map((noun) => ({ ...noun, load: () => noun.load(services) })),
    session: (options) => {
      current = openSession(options, host);
      return current;
    },
    ask,
    readText: (path) => readText(path, host),
    now: host.now,
  };
  const code = await runStackops(host.argv, world);
  return code || programCode;
}

/** Only where somebody sits at both ends: a question in a pipe or a job would wait for ever. */
function canAsk({ argv, env, err, stdinTerminal }: Host): boolean {
  const forbidden = argv.includes('--no-input') || env['CI'] || env['STACKOPS_NO_INPUT'];
  return stdinTerminal && err.terminal && !forbidden;
}

interface Parts {
  readonly host: Host;
  readonly session: () => OpenSession;
  readonly ask: World['ask'];
  readonly setExitCode: (code: number) => void;
}

function servicesFor({ host, session, ask, setExitCode }: Parts): MenuServices {
  return {
    env: host.env,
    folders: () => session().folders(),
    settings: () => session().settings,
    verify: async (token) => {
      await session().as(token).call(accounts.list, {}, { limit: 1 });
    },
    post: postForm(host),
    openBrowser,
    say: (line) => void host.err.write(`${line}\n`),
    ask,
    signal: host.signal,
    sandbox: {
      env: host.env,
      stateFile: () => sandboxFile(session().folders()),
      signal: host.signal,
      out: host.out.write,
      setExitCode,
    },
  };
}
