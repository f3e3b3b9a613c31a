import type { Host } from '../cli/host.ts';
import type { DoctorServices, ProbeFailure } from '../commands/doctor/check.ts';
import { type FailureReason, TransportFailure } from '../http/transport/failure.ts';
import { chooseProxy } from '../http/transport/proxy.ts';
import { interrupted } from '../problems/problem.ts';
import { openNetwork } from './session.ts';

const limitMs = 10_000;

/** The transport of every command, asked without retries and within shorter limits. */
export function doctorServices(host: Host): DoctorServices {
  const { env, version, platform, redactor, signal } = host;
  return {
    version,
    platform,
    proxyFor: (baseUrl) => chooseProxy(baseUrl, env)?.host,
    probe: async (baseUrl, path, token) => {
      redactor.hide(token ?? '');
      const limits = { headersTimeoutMs: limitMs, attemptTimeoutMs: limitMs };
      const send = await openNetwork(baseUrl, host, limits);
      try {
        return await send({ method: 'GET', path, query: new URLSearchParams(), body: undefined }, token, signal);
      } catch (error) {
        if (!(error instanceof TransportFailure)) throw error;
        if (error.reason === 'aborted') throw interrupted();
        return { stage: stages[error.reason] ?? 'HTTP', message: error.message };
      } finally {
        await send.close();
      }
    },
  };
}

const stages: Partial<Record<FailureReason, ProbeFailure['stage']>> = {
  dns: 'DNS',
  refused: 'TCP',
  connect_timeout: 'TCP',
  tls: 'TLS',
  certificate: 'certificate',
  proxy: 'proxy',
};
