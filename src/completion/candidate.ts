export interface Candidate {
  readonly value: string;
  readonly about: string;
}

/** A name of a resource; never a value such as a secret. */
export interface Name extends Candidate {
  /** A time to show as relative: `2h ago`. */
  readonly at?: string;
}
