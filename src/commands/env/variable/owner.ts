import { oneOf, optional } from '../../../contract/field.ts';
import type { Variable } from '../../../resources/env.ts';

/** Who made a variable: an operator, the service, or the service for good. */
export const owners = ['user', 'generated', 'locked', 'all'] as const;
export type Owner = (typeof owners)[number];

export const typeField = optional(oneOf(owners, 'Which variables (default user): locked ones are read-only.'));

export function ownerOf({ readonly, is_generated }: Variable): Exclude<Owner, 'all'> {
  if (readonly) return 'locked';
  return is_generated ? 'generated' : 'user';
}

export function isOwnedBy(variable: Variable, owner: Owner = 'user'): boolean {
  return owner === 'all' || ownerOf(variable) === owner;
}
