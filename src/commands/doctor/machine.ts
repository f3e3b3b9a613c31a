import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { shellWord } from '../../contract/values/text.ts';
import { mebibyte, readNamedFile } from '../../files/named-file.ts';
import { checkParents } from '../../files/private-folder.ts';
import { rightsOf, writeFault } from '../../files/rights.ts';
import { readConfig } from '../../settings/config-file.ts';
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

/** Checks program, runtime and the tool's files, without reads that repair rights. */
export async function examineMachine(context: DoctorContext): Promise<readonly Finding[]> {
  const { folders, host } = context;
  const { platform } = host;
  // Node knows owner and rights on POSIX only.
  const isKnown = !platform.startsWith('win32');
  const guarded = (path: string) => (isKnown ? `${path} is private` : `${path}: rights are not checked on Windows`);
  const folder = await runCheck('config folder', () => folderResult(folders.config, 'STACKOPS_CONFIG_DIR', guarded));
  const inFolder = (check: string, find: () => CheckResult) =>
    runCheck(check, () => (hasHome(context) ? find() : skipped('until the config folder is fixed')));
  return [
    await runCheck('program', () => ok(`stackops ${host.version} on ${platform.split(';')[0]}`)),
    await runtimeFinding(platform),
    folder,
    await inFolder('config file', () => configResult(join(folders.config, 'config.json'))),
    await inFolder('token file', () => faultOf(tokenFile(context), 'file') ?? ok(guarded(tokenFile(context)))),
    await runCheck('state folder', () => folderResult(folders.state, 'XDG_STATE_HOME', guarded)),
  ];
}

/** True when reading the token file would first remove rights of others. */
export function isTokenFileOpen(context: DoctorContext): boolean {
  return hasHome(context) && (rightsOf(tokenFile(context))?.isOpenToOthers ?? false);
}

function tokenFile({ folders }: DoctorContext): string {
  return join(folders.config, 'credentials.json');
}

function hasHome({ folders }: DoctorContext): boolean {
  try {
    return folders.config !== '';
  } catch {
    return false;
  }
}

function runtimeFinding(platform: string): Promise<Finding> {
  // The launcher refuses an old Node, and Bun is part of the program.
  const [, runtime = 'node', version] = /(node|bun) v(\S+)/.exec(platform) ?? [];
  const shown = runtime === 'bun' ? 'Bun' : 'Node';
  return runCheck(runtime, () => (version ? ok(`${shown} ${version}`) : skipped(`unknown ${shown} version`)));
}

function folderResult(path: string, variable: string, guarded: (path: string) => string): CheckResult {
  checkParents(path);
  const fault = faultOf(path, 'folder');
  const unwritable = writeFault(path);
  if (unwritable && (!fault || fault.state === 'ok')) {
    return warning(unwritable.message, `export ${variable}=/absolute/folder`);
  }
  return fault ?? ok(guarded(path));
}

function configResult(path: string): CheckResult {
  const fault = faultOf(path, 'file');
  if (fault) return fault;
  readConfig(path, { warn: () => undefined });
  return ok(`${path} can be read`);
}

function faultOf(path: string, kind: 'folder' | 'file'): CheckResult | undefined {
  const rights = rightsOf(path);
  if (!rights) return ok(`${path}: not created yet`);
  const { isFolder, otherOwner, isOpenToOthers, mode } = rights;
  if (isFolder !== (kind === 'folder')) {
    const found = isFolder ? 'is a folder' : 'is not a folder';
    return problem(`${path} ${found}`, `mv ${shellWord(path)} ${shellWord(`${path}.bad`)}`);
  }
  if (otherOwner !== undefined) {
    return problem(`${path} belongs to another user (${otherOwner})`, `sudo chown "$(id -u)" ${shellWord(path)}`);
  }
  if (!isOpenToOthers) return undefined;
  return warning(`${path} is open to other users (${mode})`, `chmod ${isFolder ? '700' : '600'} ${shellWord(path)}`);
}

/** The hash of the text below the front matter of a skill; an edit of the text does not update it. */
export function hashOfBody(skill: string): string {
  const [, body = ''] = /^---\n.*?\n---\n(.*)$/s.exec(skill) ?? [];
  return createHash('sha256').update(body).digest('hex');
}

/** Checks the copies of skills/stackops that agents read on this machine; without copies there is no finding. */
export async function examineSkills({ host: { env, version } }: DoctorContext): Promise<readonly Finding[]> {
  const folders = [...['.claude', '.agents'].map((name) => join(env['HOME'] ?? '', name)), '.agents'];
  const copies = new Set(folders.map((folder) => resolve(folder, 'skills/stackops/SKILL.md')));
  const found = [...copies].filter((path) => rightsOf(path) !== undefined);
  return Promise.all(found.map((path) => runCheck('skill', () => skillResult(path, version))));
}

function skillResult(path: string, version: string): CheckResult {
  const skill = Buffer.from(readNamedFile(path, mebibyte) ?? []).toString('utf8');
  const [copied = '', sha256] = ['version', 'sha256'].map((key) => RegExp(`^  ${key}: "(.*)"$`, 'm').exec(skill)?.[1]);
  const repair = `copy skills/stackops of stackops ${version} over it`;
  if (sha256 !== hashOfBody(skill)) return warning(`edited: ${path}`, repair);
  const isOlder = copied.localeCompare(version, 'en', { numeric: true }) < 0;
  return isOlder ? warning(`older (${copied}): ${path}`, repair) : ok(path);
}
