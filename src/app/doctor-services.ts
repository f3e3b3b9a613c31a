import type { Host } from '../cli/host.ts';
import type { DoctorServices, Probed, ProxyInUse } from '../commands/doctor/check.ts';
import { type FailureReason, TransportFailure } from '../http/transport/failure.ts';
import { chooseProxy } from '../http/transport/proxy.ts';
import { interrupted } from '../problems/problem.ts';
import { networkOptions } from './session.ts';

const limitMs = 10_000;

/** Requests for `doctor`: one at a time, never retried, with the stage where each ended. */
export function doctorServices(host: Host): DoctorServices {
  const { env, version, platform } = host;
  return {
    version,
    platform,
    proxyFor: (baseUrl) => proxyInUse(baseUrl, env),
    probe: async (baseUrl, path, token) => {
      host.redactor.hide(token ?? '');
      const { undiciTransport } = await import('../http/transport/transport.ts');
      const limits = { connectTimeoutMs: limitMs, headersTimeoutMs: limitMs, attemptTimeoutMs: limitMs };
      const send = await undiciTransport({ ...networkOptions(baseUrl, host), ...limits });
      try {
        const request = { method: 'GET' as const, path, query: new URLSearchParams(), body: undefined };
        const { status, headers, text } = await send(request, token, host.signal);
        return { kind: 'answer', status, isJson: isJson(text), date: headers['date'] };
      } catch (error) {
        return failed(error);
      } finally {
        await send.close();
      }
    },
  };
}

const stages: Partial<Record<FailureReason, (Probed & { kind: 'failure' })['stage']>> = {
  dns: 'DNS',
  refused: 'TCP',
  connect_timeout: 'TCP',
  tls: 'TLS',
  certificate: 'certificate',
  proxy: 'proxy',
};

function failed(error: unknown): Probed {
  if (!(error instanceof TransportFailure)) throw error;
  if (error.reason === 'aborted') throw interrupted();
  return { kind: 'failure', stage: stages[error.reason] ?? 'HTTP', message: error.message };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function proxyInUse(baseUrl: URL, env: Host['env']): ProxyInUse | undefined {
  const choice = chooseProxy(baseUrl, env);
  return choice && { host: choice.url.host, isExempt: isExempt(baseUrl, choice.except) };
}

/** Like undici: `no_proxy` exempts a host and its subdomains, one port if given, and `*` exempts everything. */
function isExempt({ hostname, port, protocol }: URL, except: string): boolean {
  if (except === '*') return true;
  const ownPort = port || (protocol === 'https:' ? '443' : '80');
  return except
    .toLowerCase()
    .split(/[,\s]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      const [, host = entry, onlyPort] = /^(.+):(\d+)$/.exec(entry) ?? [];
      const name = host.replace(/^\*?\./, '');
      const isHere = hostname === name || hostname.endsWith(`.${name}`);
      return isHere && (onlyPort === undefined || Number(onlyPort) === Number(ownPort));
    });
}
