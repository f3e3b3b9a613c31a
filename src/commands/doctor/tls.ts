import { isAbsolute } from 'node:path';
import { rightsOf } from '../../files/rights.ts';
import { trustAuthority, unsetLine } from '../../problems/repairs.ts';
import { type CheckResult, ok, type Probed, problem, skipped, warning } from './check.ts';

type Env = Readonly<Record<string, string | undefined>>;
const blind = 'NODE_TLS_REJECT_UNAUTHORIZED';
const extra = 'NODE_EXTRA_CA_CERTS';

/** Checks the certificate and the two Node variables that change how it is verified. */
export function tlsResult(env: Env, { protocol }: URL, probed: Probed | undefined): CheckResult {
  if (env[blind] === '0') return warning(`${blind}=0: certificates are not checked`, unsetLine(blind, env));
  const authorities = env[extra];
  // Node does not report a missing file.
  if (authorities && isAbsolute(authorities) && !rightsOf(authorities)) {
    return warning(`${extra}: file not found: ${authorities}`, unsetLine(extra, env));
  }
  if (protocol === 'http:') return skipped('plain HTTP on this machine');
  if (probed?.kind === 'answer') return ok(`the certificate is trusted${authorities ? `; ${extra} is set` : ''}`);
  if (probed?.stage === 'certificate') return problem(probed.message, trustAuthority);
  if (probed?.stage === 'TLS') return problem(probed.message, 'stackops config list --origin');
  return skipped('no connection');
}
