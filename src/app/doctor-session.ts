import type { Host } from '../cli/host.ts';
import type { Options } from '../cli/words/options.ts';
import { type OpenSession, openSession } from './session.ts';

/** `doctor` reports file permissions that are too wide, so nothing repairs them before. */
const readOnly = { keepsRights: true };
const whereFilesAre = ['STACKOPS_CONFIG_DIR', 'XDG_CONFIG_HOME', 'HOME', 'APPDATA', 'STACKOPS_PROFILE'];

/**
 * The session of `doctor`. Settings that stop every other command must not stop the one that finds out why: where
 * the configuration cannot be used, the session goes without it, and `doctor` reads it again to say what is wrong.
 */
export function openDoctorSession(options: Options, host: Host): OpenSession {
  const session = openSession(options, host, readOnly);
  return isUsable(session) ? session : openSession(withoutProfile(options), withoutFiles(host), readOnly);
}

/** Whether the command can run at all; a setting that is wrong otherwise is one of its findings. */
function isUsable({ settings, sandboxNotice }: OpenSession): boolean {
  try {
    for (const name of ['output', 'color', 'protected', 'sandbox'] as const) settings.get(name);
    sandboxNotice();
    return true;
  } catch {
    return false;
  }
}

function withoutProfile({ profile: _profile, ...options }: Options): Options {
  return options;
}

function withoutFiles(host: Host): Host {
  const env = Object.entries(host.env).filter(([name]) => !whereFilesAre.includes(name));
  return { ...host, env: Object.fromEntries(env) };
}
