import { argumentsOf } from '../cli/arguments/arguments.ts';
import type { Options } from '../cli/arguments/options.ts';
import { type Host, mergeLazily } from '../cli/host.ts';
import { lookUp, type NameLookup } from '../completion/look-up.ts';
import type { Candidate, Name } from '../completion/name-cache.ts';
import type { Offer } from '../completion/offer.ts';
import type { TypedLine } from '../completion/reading.ts';
import { readInstant, relativeText } from '../contract/values/time.ts';
import { largestFileBytes, readNamedFile } from '../files/named-file.ts';
import { safeText } from '../output/safe/safe-text.ts';
import { configFile, readConfig } from '../settings/config-file.ts';
import { profileNames } from '../settings/settings.ts';
import { settingOfTarget } from './client.ts';
import { openNames } from './names.ts';
import { type OpenSession, openSession } from './session.ts';

/** The names to complete, from the service that the typed command line would use. */
export async function namesFor(
  { names, separators }: Required<Pick<Offer, 'names' | 'separators'>>,
  reading: TypedLine,
  host: Host,
  deadline: AbortSignal,
): Promise<readonly Candidate[]> {
  if (names === 'path of a file')
    return (await offeredPaths(reading)).flatMap((name) => shownName(name, separators, host.now()) ?? []);
  const hurried = mergeLazily(host, { env: { ...host.env, STACKOPS_RETRIES: '0' }, signal: deadline });
  const session = openSession(optionsOf(reading), hurried, { isTab: true, keepsRights: true });
  try {
    const found =
      names === 'profile'
        ? offeredProfiles(session)
        : await lookUp({ names, args: argsByName(reading) }, await connectionOf(session, host, deadline));
    const now = host.now();
    return found.flatMap((name) => shownName(name, separators, now) ?? []);
  } finally {
    // Do not wait for connections to close.
    void session.close().catch(() => undefined);
  }
}

function shownName({ value, about, at }: Name, separators: string, now: Date): Candidate | undefined {
  if (value !== safeText(value) || value.startsWith('-')) return undefined;
  if ([...separators].some((one) => value.includes(one))) return undefined;
  const moment = at === undefined ? undefined : readInstant(at);
  const parts = [...(moment ? [relativeText(moment, now)] : []), about].filter((part) => part !== '');
  return { value, about: safeText(parts.join(', ')) };
}

function optionsOf({ typedFlags }: TypedLine): Options {
  const value = (long: string) => typedFlags.get(long) || undefined;
  const named = {
    // For a list of stacks, names come from the first one.
    stack: value('--stack')?.split(',')[0],
    server_group: value('--server-group'),
    account: value('--account'),
    profile: value('--profile'),
    base_url: value('--base-url'),
  };
  const texts = Object.fromEntries(Object.entries(named).filter(([, text]) => text !== undefined));
  return { ...texts, ...(typedFlags.has('--sandbox') && { sandbox: true }) };
}

function argsByName({ node, args }: TypedLine): Readonly<Record<string, string>> {
  const expected = node.command ? argumentsOf(node.command) : [];
  return Object.fromEntries(expected.flatMap(({ name }, at) => (args[at] === undefined ? [] : [[name, args[at]]])));
}

async function connectionOf(session: OpenSession, { now }: Host, deadline: AbortSignal): Promise<NameLookup> {
  const { settings, call, eachPage, resolveTarget } = session;
  return {
    call,
    eachPage,
    resolveTarget,
    setting: (one) => settings.get(settingOfTarget[one]).value,
    cache: await openNames(session, now),
    deadline,
  };
}

function offeredProfiles({ folders, settings }: OpenSession): readonly Name[] {
  const config = readConfig(configFile(folders()), { warn: () => undefined, keepsRights: true });
  const active = settings.requestedProfile.value;
  return profileNames(config).map((value) => ({ value, about: value === active ? 'active' : '' }));
}

async function offeredPaths({ args: [named] }: TypedLine): Promise<readonly Name[]> {
  const { filePaths } = await import('../commands/state/stack-file.ts');
  const { parseStackFile } = await import('../state/file/parse.ts');
  const { file } = filePaths(named === undefined ? {} : { file: named });
  const text = Buffer.from(readNamedFile(file, largestFileBytes) ?? []).toString('utf8');
  const { stacks } = await parseStackFile(text, file);
  // Completion offers paths of single servers: an entry for a role stands for several.
  const entries = stacks.flatMap((stack) => stack.entries).filter(({ server = '' }) => !server.startsWith('@'));
  return [...new Set(entries.map(({ path }) => path))].map((value) => ({ value, about: '' }));
}
