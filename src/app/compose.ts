import type { App } from '../cli/app.ts';
import { beforeDashes, firstWord, type Options } from '../cli/arguments/options.ts';
import { withoutAlias } from '../cli/arguments/read-line.ts';
import { unattendedBy } from '../cli/environment.ts';
import { type Host, mergeLazily, type RawHost } from '../cli/host.ts';
import { runStackops } from '../cli/stackops.ts';
import { loadMenu, type MenuServices, topLevel } from '../commands/index.ts';
import type { TopLevelCommand } from '../contract/tree.ts';
import { createOutput } from '../output/safe/create-output.ts';
import { programsFor } from './programs.ts';
import type { OpenSession } from './session.ts';

/** Connects the parts for one command line and returns its exit code; what help does not need is loaded on demand. */
export async function compose(raw: RawHost): Promise<number> {
  const host: Host = mergeLazily(raw, createOutput(raw));
  let current: OpenSession | undefined;
  const session = (): OpenSession => {
    if (!current) throw new Error('a command ran without a session');
    return current;
  };
  let programCode = 0;
  const services = servicesFor(host, session, (code) => {
    programCode = code;
  });
  const app: App = mergeLazily(host, {
    topLevel: topLevelFor(services),
    session: async (options: Options) => {
      const isDoctor = firstWord(host.argv) === 'doctor';
      current = isDoctor
        ? (await import('./doctor.ts')).openDoctorSession(options, host)
        : (await import('./session.ts')).openSession(options, host);
      return current;
    },
    get ask() {
      return canAsk(host) ? host.ask : undefined;
    },
    readText: async (path: string, mostBytes?: number) =>
      (await import('./streams/read-text.ts')).readText(path, host, mostBytes),
  });
  if (host.argv[0] === '__complete') return (await import('./completion/complete.ts')).complete(host, app.topLevel);
  const code = await runStackops(host.argv, app);
  return code || programCode;
}

function canAsk({ argv, env, err, stdinTerminal }: Host): boolean {
  // In a pipe or job a question would wait forever.
  const isUnattended = beforeDashes(argv).includes('--no-input') || unattendedBy(env) !== undefined;
  return stdinTerminal && err.terminal && !isUnattended;
}

function servicesFor(host: Host, session: () => OpenSession, setExitCode: (code: number) => void): MenuServices {
  const programs = programsFor(host, setExitCode);
  const services: MenuServices = {
    env: host.env,
    platform: host.platform,
    folders: () => session().folders(),
    settings: () => session().settings,
    listStacks: () => session().listStacks(),
    stackName: (uid) => session().destination().stackName(uid),
    stackTitle: (uid) => session().stackTitle(uid),
    embedded: () => session().embedded(),
    readPrinted: async (line) =>
      (await import('../cli/arguments/read-printed.ts')).readPrinted(line, {
        topLevel: topLevelFor(services),
        resolveTarget: session().resolveTarget,
      }),
    tokenCommand: () => session().tokenCommand(),
    verify: async (token) => {
      const { accounts } = await import('../resources/account.ts');
      await session().withToken(token).call(accounts.list, {}, { limit: 1 });
    },
    ownerOf: async (token) => (await import('../commands/auth/status.ts')).whoAmI(session().withToken(token).call),
    post: async (url, form) => (await import('./post-form.ts')).postForm(host)(url, form),
    openBrowser: async (url) => (await import('./browser.ts')).openBrowser(url),
    hasBrowser: async () => (await import('./browser.ts')).hasBrowser(host),
    hide: host.redactor.hide,
    redact: host.redactor.redact,
    say: (line) => void host.err.lines([line]),
    sayAddress: (url) => void host.err.address(url),
    get ask() {
      return canAsk(host) ? host.ask : undefined;
    },
    get signal() {
      return host.signal;
    },
    commands: {
      tree: async () => (await import('../cli/help/describe-tree.ts')).describeTree(topLevelFor(services)),
      inFull: (words) => withoutAlias(words, topLevelFor(services)),
    },
    doctor: async () => (await import('./doctor.ts')).doctorServices(host),
    storage: async () => (await import('./storage.ts')).storageFor(host, session),
    ramp: async () => (await import('./ramp.ts')).rampServices(host, session, programs),
    programs,
    out: (text) => host.out.data(text),
  };
  return services;
}

function topLevelFor(services: MenuServices): readonly TopLevelCommand[] {
  return topLevel.map((resource) => ({ ...resource, load: (words) => loadMenu(resource, services, words) }));
}
