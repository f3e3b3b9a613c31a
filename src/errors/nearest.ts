/** Returns the candidate that is closest to a mistyped word; undefined when none is close. `shop` is near `shpo`. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const maxDistance = Math.max(1, Math.floor(word.length / 3));
  const distanceTo = (candidate: string) => editDistance(word.toLowerCase(), candidate.toLowerCase());
  const [closest] = Array.from(candidates, (candidate) => ({ candidate, distance: distanceTo(candidate) }))
    .filter(({ distance }) => distance <= maxDistance)
    .toSorted((one, other) => one.distance - other.distance);
  return closest?.candidate;
}

function editDistance(a: string, b: string): number {
  // Counts insertions, deletions and replacements of letters, and swaps of neighbouring letters.
  let secondLastRow: number[] = [];
  let lastRow = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const currentRow = [row];
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1];
      const isSwapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      currentRow[column] = Math.min(
        distanceAt(currentRow, column - 1) + 1,
        distanceAt(lastRow, column) + 1,
        distanceAt(lastRow, column - 1) + (isSame ? 0 : 1),
        isSwapped ? distanceAt(secondLastRow, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    secondLastRow = lastRow;
    lastRow = currentRow;
  }
  return distanceAt(lastRow, b.length);
}

function distanceAt(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
