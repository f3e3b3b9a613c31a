/** The error statuses of service.md that a handler returns on purpose. */
export type RefusalStatus = 400 | 401 | 403 | 404 | 501;

/** A refused request: status and reason. */
export interface Refusal extends Error {
  readonly status: RefusalStatus;
}

/** Ends the request with an error body; the operator reads `details`. */
export function refuse(status: RefusalStatus, details: string): never {
  throw Object.assign(new Error(details), { name: 'Refusal', status });
}

export function isRefusal(error: unknown): error is Refusal {
  return error instanceof Error && error.name === 'Refusal';
}
