import {
  type FailureContext,
  type FailureReason,
  type RepeatLimit,
  TransportFailure,
} from '../../contract/exchange.ts';

export type FailureAtHost = FailureContext & { readonly host: string };

/** Converts an error of undici or Node to a `TransportFailure`, whose message names the host as `host`. */
export function failureOf(error: unknown, { sent, status, host }: FailureAtHost): TransportFailure {
  if (error instanceof TransportFailure) return error;
  const code = errorCodeOf(error);
  const diagnoses = sent ? [...lostResponseDiagnoses, ...connectionDiagnoses] : connectionDiagnoses;
  const [, reason, repeats, template] = diagnoses.find(([codePattern]) => codePattern.test(code)) ?? otherDiagnosis;
  const message = template.replace('HOST', () => host);
  return new TransportFailure(reason, code ? `${message} (${code})` : message, { sent, status, repeats });
}

/** Returns the code of an error, such as `ECONNREFUSED` or `UND_ERR_SOCKET`; empty if it has none. */
export function errorCodeOf(error: unknown): string {
  // Parser errors of undici 7 have no code, so the code is made from the message.
  if (error instanceof Error && error.name === 'HTTPParserError') {
    return error.message.includes('EOF') ? 'HPE_INVALID_EOF_STATE' : 'HPE_INVALID';
  }
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** How errors with these codes are reported. `HOST` in `template` is replaced by the name of the host. */
type Diagnosis = readonly [codePattern: RegExp, reason: FailureReason, repeats: RepeatLimit, template: string];

export const certificateCodePattern = /CERT|UNABLE_TO_|CRL_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE/;
const unreachablePattern = /^(ECONNREFUSED|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL|EACCES|EPERM)$/;
/** Matches the codes of a connection that was closed too early: first those of Node, then those of undici. */
const cutCodePattern =
  /^(ECONNRESET|ECONNABORTED|EPIPE|UND_ERR_SOCKET|UND_ERR_RES_CONTENT_LENGTH_MISMATCH|HPE_INVALID_EOF_STATE)$/;

const lostResponseDiagnoses: readonly Diagnosis[] = [
  [cutCodePattern, 'reset', 'always', 'HOST closed the connection before the response was complete'],
  [/^HPE_|^UND_ERR_HEADERS_OVERFLOW$/, 'protocol', 'once', 'HOST sent a response that is not HTTP/1.1'],
  [/^ETIMEDOUT$/, 'timeout', 'always', 'HOST did not respond in time'],
];

const connectionDiagnoses: readonly Diagnosis[] = [
  [/^ENOTFOUND$/, 'dns', 'once', 'host HOST not found'],
  [/^EAI_/, 'dns', 'always', 'cannot resolve the host HOST'],
  [unreachablePattern, 'refused', 'always', 'cannot connect to HOST'],
  [/^(ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/, 'connect_timeout', 'always', 'connecting to HOST timed out'],
  [/^CERT_HAS_EXPIRED$/, 'certificate', 'never', 'the certificate of HOST has expired'],
  [/^CERT_NOT_YET_VALID$/, 'certificate', 'never', 'the certificate of HOST is not valid yet'],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'certificate', 'never', 'the certificate of HOST is for another host'],
  [certificateCodePattern, 'certificate', 'never', 'the certificate of HOST is not trusted'],
  [/^(EPROTO$|ERR_(SSL|TLS)_)/, 'tls', 'never', 'TLS handshake with HOST failed'],
  [cutCodePattern, 'tls', 'always', 'HOST closed the connection while it was being opened'],
];
const otherDiagnosis: Diagnosis = [/^/, 'protocol', 'never', 'the request to HOST could not be sent'];
