import type { Operation } from '../contract/operation.ts';

/**
 * The id of an operation in messages, such as `GET /stacks/:id`: method and path are what the service's document calls
 * it by, and need no catalogue at run time.
 */
export function nameOf({ method, path }: Operation): string {
  return `${method} ${path}`;
}
