/** Those of the wanted that are not there. */
export function missingFrom(there: readonly string[], wanted: readonly string[]): readonly string[] {
  return wanted.filter((tag) => !there.includes(tag));
}

/** The order of tags means nothing. */
export function isSame(one: readonly string[], other: readonly string[]): boolean {
  return missingFrom(one, other).length === 0 && missingFrom(other, one).length === 0;
}

export function tagsText(tags: readonly string[]): string {
  return tags.join(', ') || 'no tags';
}
