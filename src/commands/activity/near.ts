import { msOf } from '../../contract/values/time.ts';

/** The clocks of the service and of this machine differ. */
const nearMs = 60_000;

export function isNear(one: string | null, other: string | null): boolean {
  return one === other || Math.abs(msOf(one) - msOf(other)) <= nearMs;
}

/** Returns a function that finds the items near a time, without comparing all of them. */
export function nearIn<Item extends { readonly time: string | null }>(items: readonly Item[]) {
  const sorted = items.map((item) => ({ item, ms: msOf(item.time) })).sort((one, other) => one.ms - other.ms);
  return (time: string | null): readonly Item[] => {
    const ms = msOf(time);
    const [from, to] = [ms - nearMs, ms + nearMs + 1].map((limit) => firstAt(sorted, limit));
    return sorted.slice(from, to).map(({ item }) => item);
  };
}

function firstAt(sorted: readonly { readonly ms: number }[], limit: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle]?.ms ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
