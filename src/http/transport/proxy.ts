import { isLoopback } from '../../contract/values/loopback.ts';
import { Problem } from '../../problems/problem.ts';
import { unsetLine } from '../../problems/repairs.ts';

type Env = Readonly<Record<string, string | undefined>>;

export interface ProxyChoice {
  readonly url: URL;
  /** Hosts to reach directly, as in `no_proxy`. */
  readonly except: string;
}

/**
 * The proxy set in the environment, or undefined for a direct connection. Loopback is always direct.
 * Throws usage for an address that cannot be used: going direct instead could leak the token to the wrong network.
 */
export function chooseProxy(base: URL, env: Env): ProxyChoice | undefined {
  if (isLoopback(base)) return undefined;
  const name = variablesFor(base.protocol).find((variable) => env[variable]);
  if (!name) return undefined;
  return { url: parseProxy(name, env), except: env['no_proxy'] ?? env['NO_PROXY'] ?? '' };
}

function variablesFor(protocol: string): readonly string[] {
  const own = protocol === 'https:' ? ['https_proxy', 'HTTPS_PROXY'] : ['http_proxy', 'HTTP_PROXY'];
  return [...own, 'all_proxy', 'ALL_PROXY'];
}

function parseProxy(name: string, env: Env): URL {
  const address = env[name] ?? '';
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url && url.hostname !== '' && (url.protocol === 'http:' || url.protocol === 'https:')) return url;
  // The address may hold a password, so only the variable is named.
  throw new Problem('usage', `invalid proxy address in ${name}: it must look like http://proxy.example:3128`, {
    hint: unsetLine(name, env),
  });
}
