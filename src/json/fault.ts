type JsonFaultReason = 'syntax' | 'depth' | 'duplicate_key' | 'long_number' | 'too_many_values' | 'too_large';

const words: Readonly<Record<JsonFaultReason, string>> = {
  syntax: 'not valid JSON',
  depth: 'JSON nested deeper than 64 levels',
  duplicate_key: 'JSON with a repeated key',
  long_number: 'JSON with a number of more than 1,000 digits',
  too_many_values: 'JSON with more than 5 million names and values',
  too_large: 'JSON that takes up more than 160 MiB of memory',
};

/** Why a text cannot be read as JSON: reason and position, never a part of the text, which may hold secrets. */
export class JsonFault extends Error {
  readonly reason: JsonFaultReason;
  /** Characters before the fault, where the reader knows. */
  readonly position: number | undefined;

  constructor(reason: JsonFaultReason, position?: number) {
    super(position === undefined ? words[reason] : `${words[reason]} at position ${position}`);
    this.name = 'JsonFault';
    this.reason = reason;
    this.position = position;
  }
}
