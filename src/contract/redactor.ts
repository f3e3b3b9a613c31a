/** What one run must not repeat, and texts without it. */
export interface Redactor {
  /** A credential: no text for a person, and no record, shows it again. */
  hide(secret: string): void;
  /** A value on its way to the service: what the service says of it does not show it. */
  written(value: string): void;
  /** Text for a person or a record, with `***` in place of every credential. */
  redact(text: string): string;
  /** Text of a server as one line of a message: without credentials and written values, 500 characters at most. */
  quote(text: string): string;
}
