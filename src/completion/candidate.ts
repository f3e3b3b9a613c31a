export interface Candidate {
  readonly value: string;
  readonly about: string;
}

/** A name of a resource; never a value such as a secret. */
export interface Name extends Candidate {
  readonly at?: string;
}
