type JsonFaultReason = 'syntax' | 'depth' | 'duplicate_key' | 'long_number' | 'too_many_values' | 'too_large';

const words: Readonly<Record<JsonFaultReason, string>> = {
  syntax: 'not valid JSON',
  depth: 'JSON nested deeper than 64 levels',
  duplicate_key: 'JSON with a repeated key',
  long_number: 'JSON with a number of more than 1,000 digits',
  too_many_values: 'JSON with more than 5 million names and values',
  too_large: 'JSON that takes up more than 160 MiB of memory',
};

/**
 * A text is not readable as JSON. It holds the reason and the position, never a part of the text, which may be secret.
 */
export class JsonFault extends Error {
  readonly reason: JsonFaultReason;
  /** Characters before the fault, if the reader knows the position. */
  readonly position: number | undefined;

  constructor(reason: JsonFaultReason, position?: number) {
    super(position === undefined ? words[reason] : `${words[reason]} at position ${position}`);
    this.name = 'JsonFault';
    this.reason = reason;
    this.position = position;
  }
}
