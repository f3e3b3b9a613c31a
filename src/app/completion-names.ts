import { argumentsOf } from '../cli/arguments/arguments.ts';
import type { Options } from '../cli/arguments/options.ts';
import { type Host, mergeLazily } from '../cli/host.ts';
import { type LookupContext, lookUpNames } from '../completion/look-up.ts';
import type { Candidate, Name } from '../completion/name-cache.ts';
import type { Offer } from '../completion/offer.ts';
import type { TypedLine } from '../completion/reading.ts';
import { readInstant, relativeText } from '../contract/values/time.ts';
import { maxFileBytes, readNamedFile } from '../files/named-file.ts';
import { safeText } from '../output/safe/safe-text.ts';
import { configFilePath, readConfig } from '../settings/config-file.ts';
import { profileNames } from '../settings/settings.ts';
import { nameCacheOf, settingOfTarget } from './client.ts';
import { type OpenSession, openSession } from './session.ts';

/** Returns the names to complete, from the service, profiles or stack file that the typed command line would use. */
export async function findNames(
  { nameKind, separators }: Required<Pick<Offer, 'nameKind' | 'separators'>>,
  typedLine: TypedLine,
  host: Host,
  deadline: AbortSignal,
): Promise<readonly Candidate[]> {
  if (nameKind === 'path of a file')
    return (await readStackFilePaths(typedLine)).flatMap((name) => candidateOf(name, separators, host.now()) ?? []);
  const hostWithDeadline = mergeLazily(host, { env: { ...host.env, STACKOPS_RETRIES: '0' }, signal: deadline });
  const session = openSession(optionsOf(typedLine), hostWithDeadline, { isCompletion: true, keepsRights: true });
  try {
    const foundNames =
      nameKind === 'profile'
        ? listProfiles(session)
        : await lookUpNames({ nameKind, args: argsByName(typedLine) }, await lookupContextOf(session, host, deadline));
    const now = host.now();
    return foundNames.flatMap((name) => candidateOf(name, separators, now) ?? []);
  } finally {
    // The connections are closed without waiting, so that the candidates are not delayed.
    void session.close().catch(() => undefined);
  }
}

function candidateOf({ value, about, at }: Name, separators: string, now: Date): Candidate | undefined {
  if (value !== safeText(value) || value.startsWith('-')) return undefined;
  if ([...separators].some((separator) => value.includes(separator))) return undefined;
  const moment = at === undefined ? undefined : readInstant(at);
  const aboutParts = [...(moment ? [relativeText(moment, now)] : []), about].filter((part) => part !== '');
  return { value, about: safeText(aboutParts.join(', ')) };
}

function optionsOf({ typedFlags }: TypedLine): Options {
  const flagValue = (longFlag: string) => typedFlags.get(longFlag) || undefined;
  return {
    // If `--stack` lists several stacks, the first one provides the names.
    stack: flagValue('--stack')?.split(',')[0],
    server_group: flagValue('--server-group'),
    account: flagValue('--account'),
    profile: flagValue('--profile'),
    base_url: flagValue('--base-url'),
    sandbox: typedFlags.has('--sandbox') || undefined,
  };
}

function argsByName({ node, args }: TypedLine): Readonly<Record<string, string>> {
  const declared = node.command ? argumentsOf(node.command) : [];
  return Object.fromEntries(declared.flatMap(({ name }, at) => (args[at] === undefined ? [] : [[name, args[at]]])));
}

async function lookupContextOf(session: OpenSession, { now }: Host, deadline: AbortSignal): Promise<LookupContext> {
  const { settings, call, eachPage, resolveTarget } = session;
  return {
    call,
    eachPage,
    resolveTarget,
    setting: (target) => settings.get(settingOfTarget[target]).value,
    cache: await nameCacheOf(session, now),
    deadline,
  };
}

function listProfiles({ folders, settings }: OpenSession): readonly Name[] {
  const config = readConfig(configFilePath(folders()), { warn: () => undefined, keepsRights: true });
  const activeProfile = settings.requestedProfile.value;
  return profileNames(config).map((value) => ({ value, about: value === activeProfile ? 'active' : '' }));
}

async function readStackFilePaths({ args: [typedFile] }: TypedLine): Promise<readonly Name[]> {
  const { filePaths } = await import('../commands/state/stack-file.ts');
  const { parseStackFile } = await import('../state/file/parse.ts');
  const { file } = filePaths(typedFile === undefined ? {} : { file: typedFile });
  const text = Buffer.from(readNamedFile(file, maxFileBytes) ?? []).toString('utf8');
  const { stacks } = await parseStackFile(text, file);
  // An entry whose server begins with @ is for all servers of a role. Only paths of single servers are offered.
  const entries = stacks.flatMap((stack) => stack.entries).filter(({ server = '' }) => !server.startsWith('@'));
  return [...new Set(entries.map(({ path }) => path))].map((value) => ({ value, about: '' }));
}
