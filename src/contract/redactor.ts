/** Removes credentials and written values of this run from texts. */
export interface Redactor {
  /** Registers a credential: no printed text and no journal entry shows it. */
  hide(secret: string): void;
  /** Registers a written value: quoted messages of the service do not show it. */
  written(value: string): void;
  /** Text for a person or a record, with `***` in place of every credential. */
  redact(text: string): string;
  /** A service text as one line: without credentials and written values, at most 500 characters. */
  quote(text: string): string;
}
