import type { Options } from '../cli/arguments/options.ts';
import type { Host } from '../cli/host.ts';
import type { ProbeFailure } from '../commands/host.ts';
import { type FailureReason, TransportFailure } from '../contract/exchange.ts';
import type { CommandHost } from '../contract/host.ts';
import { interruptedError } from '../errors/cli-error.ts';
import { type OpenSession, openSession, openTransport } from './session.ts';

/** `doctor` reports file permissions that are too wide, so its session does not repair them when it reads the files. */
const sessionOptions = { keepsRights: true };
const configurationVariables = ['STACKOPS_CONFIG_DIR', 'XDG_CONFIG_HOME', 'HOME', 'APPDATA', 'STACKOPS_PROFILE'];

/** Opens the session of `doctor`: without a profile if the settings are unreadable, which `doctor` then reports. */
export function openDoctorSession(options: Options, host: Host): OpenSession {
  const session = openSession(options, host, sessionOptions);
  try {
    // The command cannot run with an invalid value of these settings. `doctor` reports other invalid settings.
    for (const name of ['output', 'color', 'protected', 'sandbox'] as const) session.settings.get(name);
    session.sandboxNotice();
    return session;
  } catch {
    const env = Object.entries(host.env).filter(([name]) => !configurationVariables.includes(name));
    return openSession({ ...options, profile: undefined }, { ...host, env: Object.fromEntries(env) }, sessionOptions);
  }
}

const probeTimeoutMs = 10_000;

const stageOfFailure: Partial<Record<FailureReason, ProbeFailure['stage']>> = {
  dns: 'DNS',
  refused: 'TCP',
  connect_timeout: 'TCP',
  tls: 'TLS',
  certificate: 'certificate',
  proxy: 'proxy',
};

/** Sends one GET without retries. Returns the response, or the stage at which the request failed. */
export async function probeService(
  host: Host,
  ...[baseUrl, path, token]: Parameters<CommandHost['probeService']>
): ReturnType<CommandHost['probeService']> {
  host.redactor.hide(token ?? '');
  const limits = { headersTimeoutMs: probeTimeoutMs, attemptTimeoutMs: probeTimeoutMs };
  const transport = await openTransport(baseUrl, host, limits);
  try {
    return await transport({ method: 'GET', path, query: new URLSearchParams(), body: undefined }, token, host.signal);
  } catch (error) {
    if (!(error instanceof TransportFailure)) throw error;
    if (error.reason === 'aborted') throw interruptedError();
    return { stage: stageOfFailure[error.reason] ?? 'HTTP', message: error.message };
  } finally {
    await transport.close();
  }
}
