import type { Operation } from '../contract/operation.ts';

/**
 * The name of an operation in messages, such as `GET /stacks/:id`: method and path as in the service's document. It
 * needs no catalogue at run time.
 */
export function nameOf({ method, path }: Operation): string {
  return `${method} ${path}`;
}
