import { hash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { readSourceStates, sourceLines, usedTokenText } from '../../auth/source-states.ts';
import {
  type FoundToken,
  findToken,
  notSignedInError,
  type TokenSourceOptions,
  tokenVariable,
} from '../../auth/token-source.ts';
import type { CommandHost } from '../../contract/host.ts';
import { isLoopback, shellWord } from '../../contract/values/text.ts';
import { attempt, CliError } from '../../errors/cli-error.ts';
import { mebibyte, readNamedFile } from '../../files/named-file.ts';
import { checkParents } from '../../files/private-folder.ts';
import { findWriteError, rightsOf } from '../../files/rights.ts';
import { readConfig } from '../../settings/config-file.ts';
import { authUrlOf, baseUrlOf, missingAddressHint } from '../../settings/settings.ts';
import { originText } from '../../settings/table.ts';
import { findMissingProgram } from '../profile/index.ts';
import {
  type CheckResult,
  type DoctorContext,
  type Finding,
  ok,
  problem,
  runCheck,
  skipped,
  warning,
} from './check.ts';

/** Checks the program, the runtime and the files of the tool. No check repairs the permissions of a file. */
export async function examineMachine(context: DoctorContext): Promise<readonly Finding[]> {
  const { folders, host } = context;
  const { platform } = host;
  // On Windows, Node does not know the owner and the permissions of a file, so they are not checked.
  const isPosix = !platform.startsWith('win32');
  const rightsText = (path: string) => (isPosix ? `${path} is private` : `${path}: rights are not checked on Windows`);
  const checkFile = (check: string, find: () => CheckResult) =>
    runCheck(check, () => (hasConfigFolder(context) ? find() : skipped('until the config folder is fixed')));
  return [
    await runCheck('program', () => ok(`stackops ${host.version} on ${platform.split(';')[0]}`)),
    await runtimeFinding(platform),
    await runCheck('config folder', () => folderResult(folders.config, 'STACKOPS_CONFIG_DIR', rightsText)),
    await checkFile('config file', () => configResult(join(folders.config, 'config.json'))),
    await checkFile('token file', () => rightsResult(tokenFile(context), 'file') ?? ok(rightsText(tokenFile(context)))),
    await runCheck('state folder', () => folderResult(folders.state, 'XDG_STATE_HOME', rightsText)),
  ];
}

function isTokenFileExposed(context: DoctorContext): boolean {
  return hasConfigFolder(context) && (rightsOf(tokenFile(context))?.isOpenToOthers ?? false);
}

function tokenFile({ folders }: DoctorContext): string {
  return join(folders.config, 'credentials.json');
}

function hasConfigFolder({ folders }: DoctorContext): boolean {
  return !(attempt(() => folders.config) instanceof CliError);
}

function runtimeFinding(platform: string): Promise<Finding> {
  // No version is too old: the launcher refuses an old Node, and Bun is part of the program.
  const [, runtime = 'node', version] = /(node|bun) v(\S+)/.exec(platform) ?? [];
  const title = runtime === 'bun' ? 'Bun' : 'Node';
  return runCheck(runtime, () => (version ? ok(`${title} ${version}`) : skipped(`unknown ${title} version`)));
}

function folderResult(path: string, variable: string, rightsText: (path: string) => string): CheckResult {
  checkParents(path);
  const result = rightsResult(path, 'folder') ?? ok(rightsText(path));
  const writeError = findWriteError(path);
  if (!writeError || result.state !== 'ok') return result;
  return warning(writeError.message, `export ${variable}=/absolute/folder`);
}

function configResult(path: string): CheckResult {
  const result = rightsResult(path, 'file');
  if (result) return result;
  readConfig(path, { warn: () => undefined });
  return ok(`${path} can be read`);
}

function rightsResult(path: string, kind: 'folder' | 'file'): CheckResult | undefined {
  const rights = rightsOf(path);
  if (!rights) return ok(`${path}: not created yet`);
  const { isFolder, otherOwner, isOpenToOthers, mode } = rights;
  if (isFolder !== (kind === 'folder')) {
    const kindText = isFolder ? 'is a folder' : 'is not a folder';
    return problem(`${path} ${kindText}`, `mv ${shellWord(path)} ${shellWord(`${path}.bad`)}`);
  }
  if (otherOwner !== undefined) {
    return problem(`${path} belongs to another user (${otherOwner})`, `sudo chown "$(id -u)" ${shellWord(path)}`);
  }
  if (!isOpenToOthers) return undefined;
  return warning(`${path} is open to other users (${mode})`, `chmod ${isFolder ? '700' : '600'} ${shellWord(path)}`);
}

export type ServiceAccess = Awaited<ReturnType<typeof examineAccess>>;

/** Checks profile, addresses, token and proxy. A check is skipped until the check that it depends on is ok. */
export async function examineAccess(context: DoctorContext) {
  const { host } = context;
  const { settings } = host;
  const profile = await runCheck('profile', () =>
    ok(`${settings.profile} (${originText(settings.requestedProfile.origin)})`),
  );
  const hasProfile = profile.state === 'ok';
  const address = await runCheck('address', () => (hasProfile ? addressResult(context) : skippedUntil('profile')));
  const baseUrl = address.state === 'ok' ? findBaseUrl(context) : undefined;
  const signIn = await runCheck('sign-in address', () => (baseUrl ? signInResult(context) : skippedUntil('address')));
  const token = await runCheck('token', () => (hasProfile ? tokenResult(context, baseUrl) : skippedUntil('profile')));
  const approveCommand = hasProfile ? settings.get('approve_command').value : undefined;
  const approval =
    approveCommand === undefined ? undefined : await runCheck('approval', () => approvalResult(approveCommand, host));
  const proxy = await runCheck('proxy', () => (baseUrl ? proxyResult(context, baseUrl) : skippedUntil('address')));
  const foundToken = baseUrl && token.state === 'ok' ? await findTokenFor(context, baseUrl) : undefined;
  const hasAgent = hasProfile && host.agent !== undefined;
  const agent = hasAgent ? await runCheck('agent', () => agentResult(host, foundToken)) : undefined;
  const findings = [profile, address, signIn, token, agent, approval, proxy].filter((one) => one !== undefined);
  return { findings, baseUrl, token: foundToken };
}

function agentResult({ agent = '', embedded, env, settings }: CommandHost, token: FoundToken | undefined): CheckResult {
  const mode = embedded() ? 'write' : settings.get('agents').value;
  // `stackops mcp` sets the variable to its own name, so the finding names `stackops mcp`.
  const sourceText = env[agent] === 'stackops mcp' ? 'stackops mcp' : `${agent} is set`;
  const agentText = `${sourceText}: agents=${mode}`;
  const otherScopes = token?.scopes?.filter((scope) => scope !== 'public');
  if (mode === 'write' || !token) return ok(agentText);
  if (otherScopes?.length === 0) return ok(`${agentText}; the token only reads`);
  const scopesText = otherScopes ? `also has ${otherScopes.join(', ')}` : 'has unknown scopes';
  return warning(`${agentText}; the token could do more: it ${scopesText}`, 'stackops auth login --scope public');
}

function approvalResult(command: string, host: CommandHost): CheckResult {
  if (host.settings.get('approve_command_trusted').value !== 'true')
    return problem(`${command} is not run: others could have set it`, 'set it again with stackops profile set');
  const missingProgram = findMissingProgram(command, host);
  if (missingProgram === undefined) return ok(`${command} must approve every change`);
  return problem(`${command}: program not found; no change can be sent`, `install ${missingProgram}`);
}

function skippedUntil(check: string): CheckResult {
  return skipped(`until the ${check} is fixed`);
}

function findBaseUrl({ host }: DoctorContext): URL {
  return host.embedded()?.baseUrl ?? baseUrlOf(host.settings);
}

function addressResult(context: DoctorContext): CheckResult {
  const { settings, embedded } = context.host;
  if (!embedded() && settings.get('base_url').value === undefined) {
    return problem('no service address yet', missingAddressHint);
  }
  const { href } = findBaseUrl(context);
  if (embedded()) return ok(`${href}, the embedded sandbox`);
  return ok(`${href} (${originText(settings.get('base_url').origin)})`);
}

function signInResult({ host: { settings, embedded } }: DoctorContext): CheckResult {
  if (embedded()) return skipped('the embedded sandbox needs no sign-in');
  return ok(`${authUrlOf(settings).href} (${originText(settings.get('auth_url').origin)})`);
}

async function tokenResult(context: DoctorContext, baseUrl: URL | undefined): Promise<CheckResult> {
  const { host } = context;
  const embeddedSandbox = host.embedded();
  if (embeddedSandbox) return ok(usedTokenText(embeddedSandbox.token));
  // Doctor changes nothing, so it reads no token file that other users can open: the read would repair the permissions.
  const isFileNeeded = !host.env[tokenVariable] && !host.tokenCommand();
  if (isTokenFileExposed(context) && isFileNeeded) return skippedUntil('token file');
  const sources = isTokenFileExposed(context) ? undefined : readSourceStates(tokenSources(context));
  if (sources && !sources.some(({ state }) => state === 'used')) throw notSignedInError(host.settings.profile);
  if (!baseUrl) return skippedUntil('address');
  const foundToken = await findTokenFor(context, baseUrl);
  if (!foundToken) throw notSignedInError(host.settings.profile);
  return ok(sources ? sourceLines(sources, foundToken).join('; ') : usedTokenText(foundToken));
}

async function findTokenFor(context: DoctorContext, baseUrl: URL): Promise<FoundToken | undefined> {
  return context.host.embedded()?.token ?? findToken({ ...tokenSources(context), baseUrl });
}

function tokenSources({ host, folders }: DoctorContext): TokenSourceOptions {
  const { env, settings, tokenCommand } = host;
  return { env, folders: () => folders, profile: settings.profile, command: tokenCommand };
}

const proxyNames = ['https_proxy', 'http_proxy', 'all_proxy', 'no_proxy'];

async function proxyResult({ host }: DoctorContext, baseUrl: URL): Promise<CheckResult> {
  if (host.embedded()) return skipped('the embedded sandbox needs no network');
  const variableNames = proxyNames.flatMap((name) => [name, name.toUpperCase()]).filter((name) => host.env[name]);
  if (variableNames.length === 0) return ok('no proxy is set');
  const proxy = await host.proxyFor(baseUrl);
  const variablesText = `${variableNames.join(', ')} set`;
  if (proxy) return ok(`${variablesText}; ${baseUrl.host} is reached through ${proxy}`);
  const why = isLoopback(baseUrl) ? ' (this machine)' : '';
  return ok(`${variablesText}; ${baseUrl.host} is reached directly${why}`);
}

/** Returns the hash of a skill without its front matter, which holds the hash of the released text. */
export function hashOfBody(skill: string): string {
  const [, body = ''] = /^---\n.*?\n---\n(.*)$/s.exec(skill) ?? [];
  return hash('sha256', body);
}

/** Checks each copy of skills/stackops that agents read on this machine. Without a copy there is no finding. */
export async function examineSkills({ host: { env, version } }: DoctorContext): Promise<readonly Finding[]> {
  const folders = [...['.claude', '.agents'].map((name) => join(env['HOME'] ?? '', name)), '.agents'];
  const skillFiles = new Set(folders.map((folder) => resolve(folder, 'skills/stackops/SKILL.md')));
  const existingFiles = [...skillFiles].filter((path) => rightsOf(path) !== undefined);
  return Promise.all(existingFiles.map((path) => runCheck('skill', () => skillResult(path, version))));
}

function skillResult(path: string, version: string): CheckResult {
  const skill = Buffer.from(readNamedFile(path, mebibyte) ?? []).toString('utf8');
  const [release = '', sha256] = ['version', 'sha256'].map((key) => RegExp(`^  ${key}: "(.*)"$`, 'm').exec(skill)?.[1]);
  const repair = `copy skills/stackops of stackops ${version} over it`;
  if (sha256 !== hashOfBody(skill)) return warning(`edited: ${path}`, repair);
  const isOlder = release.localeCompare(version, 'en', { numeric: true }) < 0;
  return isOlder ? warning(`older (${release}): ${path}`, repair) : ok(path);
}
