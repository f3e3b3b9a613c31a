/** Something that may stand at the cursor, and what a shell says about it where it can. */
export interface Candidate {
  readonly value: string;
  readonly about: string;
}

/** A name at the service; never a value. */
export interface Name {
  readonly value: string;
  readonly about: string;
  /** A moment whose distance is worth knowing. */
  readonly at?: string;
}
