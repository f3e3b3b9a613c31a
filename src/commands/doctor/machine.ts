import { join } from 'node:path';
import { shellWord } from '../../contract/values/shell-word.ts';
import { checkParents } from '../../files/private-folder.ts';
import { type Rights, rightsOf } from '../../files/rights.ts';
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

/** The minimum Node of package.json; the launcher accepts slightly older ones. */
const oldestNode = [20, 18, 1] as const;

/** Checks program, Node and the tool's files. Nothing is read that would repair rights. */
export async function examineMachine(context: DoctorContext): Promise<readonly Finding[]> {
  const { folders, doctor } = context;
  const folder = await runCheck('config folder', () => folderResult(folders.config));
  const inFolder = (check: string, find: () => CheckResult) =>
    runCheck(check, () => (hasHome(context) ? find() : skipped('until the config folder is fixed')));
  return [
    await runCheck('program', () => ok(`stackops ${doctor.version} on ${doctor.platform.split(';')[0]}`)),
    await runCheck('node', () => nodeResult(doctor.platform)),
    folder,
    await inFolder('config file', () => configResult(join(folders.config, 'config.json'))),
    await inFolder('token file', () => fileResult(tokenFile(context)) ?? ok(`${tokenFile(context)} is private`)),
    await runCheck('state folder', () => folderResult(folders.state)),
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

/** Exported for its test, which runs on only one Node version. */
export function nodeResult(platform: string): CheckResult {
  const [, shown, ...parts] = /node v((\d+)\.(\d+)\.(\d+)\S*)/.exec(platform) ?? [];
  if (shown === undefined) return skipped('unknown Node version');
  const floor = oldestNode.join('.');
  const [major = 0, minor = 0, patch = 0] = parts.map(Number);
  const ranks = [major - oldestNode[0], minor - oldestNode[1], patch - oldestNode[2]];
  const isOld = (ranks.find((rank) => rank !== 0) ?? 0) < 0;
  return isOld
    ? problem(`Node ${shown} is older than ${floor}`, `install Node ${floor} or newer`)
    : ok(`Node ${shown}`);
}

function folderResult(path: string): CheckResult {
  checkParents(path);
  const rights = rightsOf(path);
  if (!rights) return ok(`${path}: not created yet`);
  if (!rights.isFolder) return problem(`${path} is not a folder`, `mv ${shellWord(path)} ${shellWord(`${path}.bad`)}`);
  return rightsFault(path, rights, '700') ?? ok(`${path} is private`);
}

function configResult(path: string): CheckResult {
  const fault = fileResult(path);
  if (fault) return fault;
  readConfig(path, { warn: () => undefined });
  return ok(`${path} can be read`);
}

function fileResult(path: string): CheckResult | undefined {
  const rights = rightsOf(path);
  if (!rights) return ok(`${path}: not created yet`);
  if (rights.isFolder) return problem(`${path} is a folder`, `mv ${shellWord(path)} ${shellWord(`${path}.bad`)}`);
  return rightsFault(path, rights, '600');
}

function rightsFault(
  path: string,
  { otherOwner, isOpenToOthers, mode }: Rights,
  wanted: string,
): CheckResult | undefined {
  if (otherOwner !== undefined) {
    return problem(`${path} belongs to another user (${otherOwner})`, `sudo chown "$(id -u)" ${shellWord(path)}`);
  }
  if (!isOpenToOthers) return undefined;
  return warning(`${path} is open to other users (${mode})`, `chmod ${wanted} ${shellWord(path)}`);
}
