/** Statuses of service.md, Errors, that a handler answers on purpose. */
export type RefusalStatus = 400 | 401 | 403 | 404 | 501;

/** A refused request: its status and the sentence that says why. */
export interface Refusal extends Error {
  readonly status: RefusalStatus;
}

/** Ends the request with an error body; `details` is what the operator gets to read. */
export function refuse(status: RefusalStatus, details: string): never {
  throw Object.assign(new Error(details), { name: 'Refusal', status });
}

export function isRefusal(error: unknown): error is Refusal {
  return error instanceof Error && error.name === 'Refusal';
}
