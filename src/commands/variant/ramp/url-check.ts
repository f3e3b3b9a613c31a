import { CliError } from '../../../errors/cli-error.ts';
import type { CheckFinding, RampCheck } from './check.ts';
import type { Headers, RampServices } from './services.ts';

export interface UrlRules {
  readonly timeoutMs: number;
  /** Must be in the first 64 KiB of an answer. */
  readonly expect?: string | undefined;
  /** Tells by a header whether an answer is of the canary. */
  readonly isOurs?: ((headers: Headers) => boolean) | undefined;
  /** `9d4e1f7` */
  readonly commit: string;
  readonly requests?: number | undefined;
}

type Answer = Awaited<ReturnType<typeof ask>>;

const mostRequests = 60;
const pauseMs = 200;
/** Of the other version, until it counts as failing too; and lost ones without any answer. */
const enough = 3;

/** How many requests meet a canary with this share with 95 %. */
export function requestsFor(share: number): number {
  if (share <= 0 || share >= 100) return 1;
  return Math.min(mostRequests, Math.max(1, Math.ceil(Math.log(0.05) / Math.log(1 - share / 100))));
}

/** `X-Revision: {commit}` as a test of an answer's headers, for a commit. Throws usage for anything else. */
export function readOnlyFrom(text: string): (hash: string) => (headers: Headers) => boolean {
  const [, name, pattern] = /^([\w-]+): *(.*\{commit\}.*)$/.exec(text) ?? [];
  if (!name || !pattern) {
    throw new CliError('usage', `--only-from must be a header such as 'X-Revision: {commit}', not "${text}"`);
  }
  const [before = '', after = ''] = pattern.split('{commit}');
  return (hash) => (headers) => {
    const value = [headers[name.toLowerCase()] ?? ''].flat().join(', ').trim();
    if (!value.startsWith(before) || !value.endsWith(after)) return false;
    const commit = value.slice(before.length, value.length - after.length).toLowerCase();
    return commit.length >= 7 && hash.toLowerCase().startsWith(commit);
  };
}

/** An address that answers 2xx, with the expected text; with `isOurs`, only answers of the canary count. */
export function urlCheck(url: URL, rules: UrlRules, services: Pick<RampServices, 'probe' | 'sleep'>): RampCheck {
  const { isOurs, commit, expect } = rules;
  const shown = `${url.origin}${url.pathname}`;
  const requestsAt = (share: number) => (isOurs ? (rules.requests ?? requestsFor(share)) : 1);
  return {
    name: url.host,
    about: `${shown}: 2xx${expect === undefined ? '' : ` with "${expect}"`}${isOurs ? `, answers of commit ${commit} only` : ''}`,
    requestsAt,
    run: async ({ share }, stop) => {
      const answers: Answer[] = [];
      for (;;) {
        answers.push(await ask(url, rules, services, stop));
        const found = verdict(answers, commit, answers.length >= requestsAt(share) || stop.aborted);
        if (found) return found;
        await services.sleep(pauseMs, stop).catch(() => undefined);
      }
    },
  };
}

async function ask(
  url: URL,
  { isOurs = () => true, expect, timeoutMs }: UrlRules,
  { probe }: Pick<RampServices, 'probe'>,
  signal: AbortSignal,
) {
  const probed = await probe(url, { timeoutMs, signal });
  if ('lost' in probed) return { of: 'nobody', isGood: false, said: probed.lost, isNetwork: probed.isNetwork } as const;
  const { status, headers, text } = probed;
  const is2xx = status >= 200 && status < 300;
  const isGood = is2xx && (expect === undefined || text.includes(expect));
  const said = is2xx && !isGood ? `status ${status} without "${expect}"` : `status ${status}`;
  return { of: isOurs(headers) ? 'canary' : 'other', isGood, said, isNetwork: false } as const;
}

function verdict(answers: readonly Answer[], commit: string, isLast: boolean): CheckFinding | undefined {
  const others = answers.filter(({ of }) => of === 'other');
  const bad = answers.find(({ of, isGood }) => of !== 'other' && !isGood);
  if (!bad) {
    if (answers.some(({ of }) => of === 'canary')) return { result: 'good', said: answers.at(-1)?.said ?? '' };
    // Another one may say more.
    if (!isLast) return undefined;
    const count = answers.length === 1 ? 'one request' : `${answers.length} requests`;
    return { result: 'held', said: `no answer of commit ${commit} in ${count}`, isAnswered: others.length > 0 };
  }
  // A failure is the canary's own only where the other version answers well in the same burst.
  if (!others.some(({ isGood }) => isGood)) {
    const lost = answers.filter(({ of }) => of === 'nobody');
    if (!isLast && others.length < enough && lost.length < enough) return undefined;
    const [other] = others;
    if (other) return { result: 'held', said: `the other version fails too (${other.said}); ${bad.said}` };
  }
  // Where anybody answered, our network works.
  return { result: 'failed', said: bad.said, isNetwork: answers.every(({ isNetwork }) => isNetwork) };
}
