/** The origin of a value; `name` is that of the flag, the variable, the profile or the program. */
export interface ValueOrigin {
  readonly kind: OriginKind;
  readonly name?: string | undefined;
}

type OriginKind =
  | 'flag'
  | 'environment'
  | 'profile'
  | 'preferences'
  | 'default'
  | 'active profile'
  | 'unknown profile'
  | 'origin of base_url'
  | 'token_command'
  | 'sign-in'
  | 'sandbox';

/** `flag --stack`, `environment STACKOPS_STACK`, `profile work`, `token_command (op)`, `default`. */
export function originText({ kind, name }: ValueOrigin): string {
  if (name === undefined) return kind;
  return kind === 'token_command' ? `${kind} (${name})` : `${kind} ${name}`;
}
