import type { Options } from '../cli/arguments/options.ts';
import type { Host } from '../cli/host.ts';
import { type OpenSession, openSession } from './session.ts';

/** `doctor` reports wide file permissions, so reading must not repair them first. */
const readOnly = { keepsRights: true };
const whereFilesAre = ['STACKOPS_CONFIG_DIR', 'XDG_CONFIG_HOME', 'HOME', 'APPDATA', 'STACKOPS_PROFILE'];

/**
 * The session of `doctor`, which must run even when settings are broken. If the configuration cannot be read, the
 * session starts without it, and `doctor` reads it again to report the error.
 */
export function openDoctorSession(options: Options, host: Host): OpenSession {
  const session = openSession(options, host, readOnly);
  try {
    // Only that the command can run; other wrong settings are findings.
    for (const name of ['output', 'color', 'protected', 'sandbox'] as const) session.settings.get(name);
    session.sandboxNotice();
    return session;
  } catch {
    const { profile: _profile, ...others } = options;
    const env = Object.entries(host.env).filter(([name]) => !whereFilesAre.includes(name));
    return openSession(others, { ...host, env: Object.fromEntries(env) }, readOnly);
  }
}
