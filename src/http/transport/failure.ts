export type FailureReason =
  | 'dns'
  | 'refused'
  | 'connect_timeout'
  | 'tls'
  | 'certificate'
  | 'reset'
  | 'timeout'
  | 'aborted'
  | 'too_large'
  | 'encoded'
  | 'protocol'
  | 'proxy';

/** How often the request may be retried, where a retry is safe. */
type Repeats = 'never' | 'once' | 'always';

/** No complete response arrived. The message tells why, without secrets and content. */
export class TransportFailure extends Error {
  readonly reason: FailureReason;
  /** True from the moment the request was handed to a connected socket. */
  readonly sent: boolean;
  readonly repeats: Repeats;
  readonly status: number | undefined;

  constructor(reason: FailureReason, message: string, context: FailureContext & { readonly repeats: Repeats }) {
    super(message);
    this.name = 'TransportFailure';
    this.reason = reason;
    this.sent = context.sent;
    this.repeats = context.repeats;
    this.status = context.status;
  }
}

type FailureContext = { readonly sent: boolean; readonly status?: number | undefined };
type Diagnosis = readonly [reason: FailureReason, repeats: Repeats, words: string];

/**
 * Converts an error of undici or Node; a `TransportFailure` passes unchanged. `host` is the name that the operator
 * knows.
 */
export function failureOf(
  error: unknown,
  { sent, status, host }: FailureContext & { readonly host: string },
): TransportFailure {
  if (error instanceof TransportFailure) return error;
  const code = codeOf(error);
  const [reason, repeats, words] = (sent ? lostResponse(code, host) : undefined) ?? noConnection(code, host);
  return new TransportFailure(reason, code ? `${words} (${code})` : words, { sent, status, repeats });
}

/** `ECONNREFUSED`, `UND_ERR_SOCKET`, or nothing. */
export function codeOf(error: unknown): string {
  // undici 7 leaves the code of its parser errors undefined.
  if (error instanceof Error && error.name === 'HTTPParserError') {
    return error.message.includes('EOF') ? 'HPE_INVALID_EOF_STATE' : 'HPE_INVALID';
  }
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

function noConnection(code: string, host: string): Diagnosis {
  if (code === 'ENOTFOUND') return ['dns', 'once', `host ${host} not found`];
  if (code.startsWith('EAI_')) return ['dns', 'always', `cannot resolve the host ${host}`];
  if (unreachable.has(code)) return ['refused', 'always', `cannot connect to ${host}`];
  if (code === 'ETIMEDOUT' || code === 'UND_ERR_CONNECT_TIMEOUT') {
    return ['connect_timeout', 'always', `connecting to ${host} timed out`];
  }
  if (isCertificateCode(code)) return ['certificate', 'never', `the certificate of ${host} ${certificateFault(code)}`];
  if (code === 'EPROTO' || /^ERR_(SSL|TLS)_/.test(code)) return ['tls', 'never', `TLS handshake with ${host} failed`];
  if (cut.has(code)) return ['tls', 'always', `${host} closed the connection while it was being opened`];
  return ['protocol', 'never', `the request to ${host} could not be sent`];
}

function lostResponse(code: string, host: string): Diagnosis | undefined {
  if (cut.has(code)) return ['reset', 'always', `${host} closed the connection before the response was complete`];
  if (code.startsWith('HPE_') || code === 'UND_ERR_HEADERS_OVERFLOW') {
    return ['protocol', 'once', `${host} sent a response that is not HTTP/1.1`];
  }
  if (code === 'ETIMEDOUT') return ['timeout', 'always', `${host} did not respond in time`];
  return undefined;
}

export function isCertificateCode(code: string): boolean {
  return /CERT|UNABLE_TO_|CRL_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE/.test(code);
}

function certificateFault(code: string): string {
  if (code === 'CERT_HAS_EXPIRED') return 'has expired';
  if (code === 'CERT_NOT_YET_VALID') return 'is not valid yet';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'is for another host';
  return 'is not trusted';
}

const unreachable: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'EACCES',
  'EPERM',
]);

/** A connection closed early: codes of Node, then those of undici. */
const cut: ReadonlySet<string> = new Set([
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'UND_ERR_SOCKET',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
  'HPE_INVALID_EOF_STATE',
]);
