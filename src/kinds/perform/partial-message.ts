interface PartialResult {
  /** One sentence for each that failed, without a full stop. */
  readonly failures: readonly string[];
  /** By what happened to them, such as `created`; empty for those of which no more is known. */
  readonly succeeded: ReadonlyMap<string, readonly string[]>;
  readonly notTried: readonly string[];
}

/** What happened to each of several: `B failed: access denied (403). A was created. Not tried: C, D.` */
export function partialMessage({ failures, succeeded, notTried }: PartialResult): string {
  const sentences = [
    ...failures,
    ...[...succeeded].map(([outcome, names]) => successSentence(outcome, names)),
    ...(notTried.length > 0 ? [`Not tried: ${notTried.join(', ')}`] : []),
  ];
  return inSentences(sentences);
}

/** One sentence has no full stop, as any other error message. */
export function inSentences(sentences: readonly string[]): string {
  if (sentences.length === 1) return sentences.join('');
  return sentences.map((sentence) => `${sentence.replace(/\.$/, '')}.`).join(' ');
}

function successSentence(outcome: string, names: readonly string[]): string {
  const verb = names.length === 1 ? 'was' : 'were';
  return `${names.join(', ')} ${outcome === '' ? 'succeeded' : `${verb} ${outcome}`}`;
}
