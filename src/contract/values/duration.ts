const msPer: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of `250ms`, `90s`, `5m`, `1.5h`, `7d` or `0`; undefined for anything else, also without a unit. */
export function durationMs(text: string): number | undefined {
  if (text === '0') return 0;
  const [, amount, unit = ''] = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h|d)$/.exec(text) ?? [];
  return amount === undefined ? undefined : Math.round(Number(amount) * (msPer[unit] ?? 0));
}

const spellings: readonly (readonly [RegExp, (amount: number) => string])[] = [
  [/^w(eeks?)?$/i, (amount) => `${7 * amount}d`],
  [/^d(ays?)?$/i, (amount) => `${amount}d`],
  [/^h(ours?|rs?)?$/i, (amount) => `${amount}h`],
  [/^m(in|inutes?|ins)?$/i, (amount) => `${amount}m`],
  [/^s(ec|econds?|ecs)?$/i, (amount) => `${amount}s`],
];

/** What was probably meant: `7d` by `1w`, `5m` by `5 min`, and `8h` by `8` where `usual` is `h`. */
export function meantDuration(text: string, usual: 'h' | 's' | 'ms'): string | undefined {
  if (text === 'yesterday') return '24h';
  const [, amount = '', word = ''] = /^(\d{1,6}) ?([a-z]*)$/i.exec(text) ?? [];
  if (amount === '' || word === '') return amount === '' ? undefined : `${amount}${usual}`;
  return spellings.find(([spelling]) => spelling.test(word))?.[1](Number(amount));
}
