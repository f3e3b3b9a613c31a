import type { Context } from '../../../contract/command.ts';
import type { CommandHost } from '../../../contract/host.ts';
import { CliError, whyText } from '../../../errors/cli-error.ts';
import { capture, keepFirstBytes } from '../../../programs/capture.ts';
import { terminalSignals } from '../../../programs/run.ts';
import type { ResponseHeaders } from '../../host.ts';

export interface CheckFinding {
  readonly result: 'good' | 'failed' | 'held';
  /** One line. */
  readonly reason: string;
  /** The last lines that it printed. */
  readonly output?: readonly string[];
  /** Our own network may have failed. */
  readonly isNetwork?: boolean;
  /** The address answered, but not for the canary. */
  readonly isAnswered?: boolean;
  readonly isUnstartable?: boolean;
  /** The whole output, up to a limit, for the log. */
  readonly log?: string;
}

/** The share under test, and the environment of the program that checks it. */
export interface CheckOptions {
  readonly share: number;
  readonly env: Readonly<Record<string, string>>;
}

export interface RampCheck {
  /** `curl`, `shop.example` */
  readonly name: string;
  /** The text of the preflight. */
  readonly about: string;
  readonly run: (options: CheckOptions, stop: AbortSignal) => Promise<CheckFinding>;
  /** The most requests of one run, by share. */
  readonly requestsAt: (share: number) => number;
}

const holdCode = 75;
const mostLogBytes = 64 * 1024;
const mostTailBytes = 4096;
const tailLines = 5;

/** Runs a program without a shell: exit 0 is good, 75 holds the step, any other exit is a failure. */
export function programCheck(
  commandLine: readonly string[],
  { text, timeoutMs }: { readonly text: string; readonly timeoutMs: number },
  { host, deadline }: Context,
): RampCheck {
  const [program = ''] = commandLine;
  return {
    name: program.split('/').at(-1) ?? program,
    about: `${text} (exit 0 is good, ${holdCode} holds)`,
    requestsAt: () => 0,
    run: async ({ env }, stop) => {
      const late = deadline(timeoutMs);
      const over = AbortSignal.any([stop, late]);
      const runOnce = async () => {
        const output = outputBuffer();
        const ending = await capture({
          commandLine,
          env: { ...host.programs.env, ...env },
          platform: host.platform,
          withStderr: true,
          take: output.take,
          // Ctrl-C at the terminal does not reach a program in its own group.
          signalGroup: host.signalGroup,
          stop: over,
          endsGroup: true,
          isEnough: () => true,
        });
        return { ...ending, output };
      };
      try {
        const first = await runOnce();
        // Ctrl-C can end a program before it is in its own group; the canary did not fail then.
        const { code, signal, output } = endedByKey(first) && !over.aborted ? await runOnce() : first;
        const printed = { output: output.tail(), log: output.text() };
        if (late.aborted) {
          return { result: 'failed', isNetwork: true, reason: `no end within ${timeoutMs / 1000} s`, ...printed };
        }
        return { result: resultOf({ code, signal }), reason: signal ?? `exit code ${code}`, ...printed };
      } catch (error) {
        return { result: 'held', reason: whyText(error), isUnstartable: true };
      }
    },
  };
}

interface End {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

function resultOf({ code, signal }: End): CheckFinding['result'] {
  if (code === 0) return 'good';
  return code === holdCode || endedByKey({ signal }) ? 'held' : 'failed';
}

function endedByKey({ signal }: Pick<End, 'signal'>): boolean {
  return signal !== null && terminalSignals.includes(signal);
}

function outputBuffer() {
  const { add, kept } = keepFirstBytes(mostLogBytes);
  let end = Buffer.alloc(0);
  return {
    take: (part: Buffer) => {
      add(part);
      end = Buffer.concat([end, part]).subarray(-mostTailBytes);
    },
    text: () => kept().toString('utf8'),
    tail: () => end.toString('utf8').trimEnd().split(/\r?\n/).filter(Boolean).slice(-tailLines),
  };
}

type UrlHost = Pick<CommandHost, 'probeUrl' | 'sleep'>;

export interface UrlRules {
  readonly timeoutMs: number;
  /** Must be in the first 64 KiB of an answer. */
  readonly expect?: string | undefined;
  /** True for the headers of an answer of the canary. */
  readonly isCanary?: ((headers: ResponseHeaders) => boolean) | undefined;
  /** `9d4e1f7` */
  readonly commit: string;
  readonly requests?: number | undefined;
}

type Answer = Awaited<ReturnType<typeof requestOnce>>;

const mostRequests = 60;
const pauseMs = 200;
/** Failures of the other version, or requests without an answer, after which the result is certain. */
const decisiveCount = 3;

/** The number of requests of which one meets a canary with this share with 95 %. */
export function requestsFor(share: number): number {
  if (share <= 0 || share >= 100) return 1;
  return Math.min(mostRequests, Math.max(1, Math.ceil(Math.log(0.05) / Math.log(1 - share / 100))));
}

/** `X-Revision: {commit}` as a test of an answer's headers, for a commit. Throws usage for anything else. */
export function readOnlyFrom(text: string): (hash: string) => (headers: ResponseHeaders) => boolean {
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

/** Requires 2xx, with the expected text; with `isCanary`, only answers of the canary count. */
export function urlCheck(url: URL, rules: UrlRules, host: UrlHost): RampCheck {
  const { isCanary, commit, expect } = rules;
  const address = `${url.origin}${url.pathname}`;
  const requestsAt = (share: number) => (isCanary ? (rules.requests ?? requestsFor(share)) : 1);
  return {
    name: url.host,
    about: `${address}: 2xx${expect === undefined ? '' : ` with "${expect}"`}${isCanary ? `, answers of commit ${commit} only` : ''}`,
    requestsAt,
    run: async ({ share }, stop) => {
      const answers: Answer[] = [];
      for (;;) {
        answers.push(await requestOnce(url, rules, host, stop));
        const found = verdict(answers, commit, answers.length >= requestsAt(share) || stop.aborted);
        if (found) return found;
        await host.sleep(pauseMs, stop).catch(() => undefined);
      }
    },
  };
}

async function requestOnce(
  url: URL,
  { isCanary = () => true, expect, timeoutMs }: UrlRules,
  { probeUrl }: UrlHost,
  signal: AbortSignal,
) {
  const probed = await probeUrl(url, { timeoutMs, signal });
  if ('lost' in probed)
    return { of: 'nobody', isGood: false, reason: probed.lost, isNetwork: probed.isNetwork } as const;
  const { status, headers, text } = probed;
  const is2xx = status >= 200 && status < 300;
  const isGood = is2xx && (expect === undefined || text.includes(expect));
  const reason = is2xx && !isGood ? `status ${status} without "${expect}"` : `status ${status}`;
  return { of: isCanary(headers) ? 'canary' : 'other', isGood, reason, isNetwork: false } as const;
}

function verdict(answers: readonly Answer[], commit: string, isLast: boolean): CheckFinding | undefined {
  const others = answers.filter(({ of }) => of === 'other');
  const bad = answers.find(({ of, isGood }) => of !== 'other' && !isGood);
  if (!bad) {
    if (answers.some(({ of }) => of === 'canary')) return { result: 'good', reason: answers.at(-1)?.reason ?? '' };
    // The next request may reach the canary.
    if (!isLast) return undefined;
    const count = answers.length === 1 ? 'one request' : `${answers.length} requests`;
    return { result: 'held', reason: `no answer of commit ${commit} in ${count}`, isAnswered: others.length > 0 };
  }
  // The canary is to blame only where the other version answers well in the same burst.
  if (!others.some(({ isGood }) => isGood)) {
    const lost = answers.filter(({ of }) => of === 'nobody');
    if (!isLast && others.length < decisiveCount && lost.length < decisiveCount) return undefined;
    const [other] = others;
    if (other) return { result: 'held', reason: `the other version fails too (${other.reason}); ${bad.reason}` };
  }
  // One answer shows that our network works.
  return { result: 'failed', reason: bad.reason, isNetwork: answers.every(({ isNetwork }) => isNetwork) };
}
