import type { Options } from '../cli/arguments/options.ts';
import type { Host } from '../cli/host.ts';
import type { ProbeFailure } from '../commands/host.ts';
import { type FailureReason, TransportFailure } from '../contract/exchange.ts';
import type { CommandHost } from '../contract/host.ts';
import { interruptedError } from '../errors/cli-error.ts';
import { chooseProxy } from '../http/transport/connection.ts';
import { type OpenSession, openSession, openTransport } from './session.ts';

/** `doctor` reports wide file permissions, so reading must not repair them first. */
const readOnly = { keepsRights: true };
const whereFilesAre = ['STACKOPS_CONFIG_DIR', 'XDG_CONFIG_HOME', 'HOME', 'APPDATA', 'STACKOPS_PROFILE'];

/** `doctor` runs even without readable settings: it reads the configuration again to report the error. */
export function openDoctorSession(options: Options, host: Host): OpenSession {
  const session = openSession(options, host, readOnly);
  try {
    // These settings must be valid for the command to run; other wrong settings are findings.
    for (const name of ['output', 'color', 'protected', 'sandbox'] as const) session.settings.get(name);
    session.sandboxNotice();
    return session;
  } catch {
    const { profile: _profile, ...others } = options;
    const env = Object.entries(host.env).filter(([name]) => !whereFilesAre.includes(name));
    return openSession(others, { ...host, env: Object.fromEntries(env) }, readOnly);
  }
}

const limitMs = 10_000;

const stages: Partial<Record<FailureReason, ProbeFailure['stage']>> = {
  dns: 'DNS',
  refused: 'TCP',
  connect_timeout: 'TCP',
  tls: 'TLS',
  certificate: 'certificate',
  proxy: 'proxy',
};

/** `host:port` of the proxy in use; throws usage for an unusable one. */
export function proxyFor(baseUrl: URL, { env }: Host): string | undefined {
  return chooseProxy(baseUrl, env)?.host;
}

/** The transport of every command, without retries and within shorter limits. */
export async function probeService(
  host: Host,
  ...[baseUrl, path, token]: Parameters<CommandHost['probeService']>
): ReturnType<CommandHost['probeService']> {
  host.redactor.hide(token ?? '');
  const limits = { headersTimeoutMs: limitMs, attemptTimeoutMs: limitMs };
  const send = await openTransport(baseUrl, host, limits);
  try {
    return await send({ method: 'GET', path, query: new URLSearchParams(), body: undefined }, token, host.signal);
  } catch (error) {
    if (!(error instanceof TransportFailure)) throw error;
    if (error.reason === 'aborted') throw interruptedError();
    return { stage: stages[error.reason] ?? 'HTTP', message: error.message };
  } finally {
    await send.close();
  }
}
