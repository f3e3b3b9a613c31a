export type JsonFaultReason = 'syntax' | 'depth' | 'duplicate_key';

const words: Readonly<Record<JsonFaultReason, string>> = {
  syntax: 'not valid JSON',
  depth: 'JSON nested deeper than 64 levels',
  duplicate_key: 'JSON with a repeated key',
};

/** Why a text cannot be read as JSON: a reason and a position, never a piece of the text, which may hold secrets. */
export class JsonFault extends Error {
  readonly reason: JsonFaultReason;
  /** Characters before the fault. */
  readonly position: number;

  constructor(reason: JsonFaultReason, position: number) {
    super(`${words[reason]} at position ${position}`);
    this.name = 'JsonFault';
    this.reason = reason;
    this.position = position;
  }
}
