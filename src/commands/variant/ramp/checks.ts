import type { Context } from '../../../contract/command.ts';
import type { CommandHost } from '../../../contract/host.ts';
import { CliError, whyText } from '../../../errors/cli-error.ts';
import { capture, createBoundedBuffer } from '../../../programs/capture.ts';
import { terminalSignals } from '../../../programs/run.ts';
import type { ResponseHeaders } from '../../host.ts';

export interface CheckFinding {
  readonly result: 'good' | 'failed' | 'held';
  readonly reason: string;
  /** The last lines that the program printed. */
  readonly output?: readonly string[];
  /** True if our own network may have caused the failure. */
  readonly isNetwork?: boolean;
  /** True if the other version answered, but the canary did not. */
  readonly hasOtherAnswered?: boolean;
  readonly isUnstartable?: boolean;
  /** The beginning of the output, up to `maxLogBytes`, for the log. */
  readonly log?: string;
}

/** The share under test, and the environment of the program that checks it. */
export interface CheckOptions {
  readonly share: number;
  readonly env: Readonly<Record<string, string>>;
}

export interface RampCheck {
  /** The file name of the program that is run (`curl`), or the host of the address (`shop.example`). */
  readonly name: string;
  /** The description of the check in the schedule, which is printed before the ramp. */
  readonly about: string;
  readonly run: (options: CheckOptions, stop: AbortSignal) => Promise<CheckFinding>;
  /** Returns the largest number of requests that one run of the check sends at a share. */
  readonly requestsAt: (share: number) => number;
}

const holdExitCode = 75;
const maxLogBytes = 64 * 1024;
const maxTailBytes = 4096;
const tailLineCount = 5;

/** `text` is the command line as it was typed. */
type ProgramRules = { readonly text: string; readonly timeoutMs: number };

/** Returns a check that runs a program without a shell. Exit 0 is good, 75 holds the step, any other exit fails. */
export function programCheck(commandLine: readonly string[], rules: ProgramRules, context: Context): RampCheck {
  const { text, timeoutMs } = rules;
  const { host, deadline } = context;
  const [program = ''] = commandLine;
  return {
    name: program.split('/').at(-1) ?? program,
    about: `${text} (exit 0 is good, ${holdExitCode} holds)`,
    requestsAt: () => 0,
    run: async ({ env }, stop) => {
      const timeoutSignal = deadline(timeoutMs);
      const stopOrTimeout = AbortSignal.any([stop, timeoutSignal]);
      const runOnce = async () => {
        const output = createOutputBuffer();
        const ending = await runRampProgram(host, {
          commandLine,
          env,
          withStderr: true,
          take: output.take,
          stop: stopOrTimeout,
          endsGroup: true,
        });
        return { ...ending, output: output.tail(), log: output.text() };
      };
      try {
        let end = await runOnce();
        // Ctrl-C can end a program before it is in its own group. That is no failure, so the program runs again.
        if (isKeySignal(end.signal) && !stopOrTimeout.aborted) end = await runOnce();
        const { code, signal, ...outputs } = end;
        if (timeoutSignal.aborted) {
          return { result: 'failed', isNetwork: true, reason: `no end within ${timeoutMs / 1000} s`, ...outputs };
        }
        return { result: resultOf(code, signal), reason: signal ?? `exit code ${code}`, ...outputs };
      } catch (error) {
        return { result: 'held', reason: whyText(error), isUnstartable: true };
      }
    },
  };
}

type RampProgram = Omit<Parameters<typeof capture>[0], 'platform' | 'signalGroup' | 'isEnough'>;

/** Runs a check or an event program. Its output may be cut at its end if its children hold the output open. */
export function runRampProgram({ programs, platform, signalGroup }: CommandHost, { env, ...program }: RampProgram) {
  // The program runs in its own process group, so Ctrl-C at the terminal does not reach it.
  return capture({ ...program, env: { ...programs.env, ...env }, platform, signalGroup, isEnough: () => true });
}

function resultOf(code: number | null, signal: NodeJS.Signals | null): CheckFinding['result'] {
  if (code === 0) return 'good';
  return code === holdExitCode || isKeySignal(signal) ? 'held' : 'failed';
}

function isKeySignal(signal: NodeJS.Signals | null): boolean {
  return signal !== null && terminalSignals.includes(signal);
}

function createOutputBuffer() {
  const { add, bytes } = createBoundedBuffer(maxLogBytes);
  let lastBytes = Buffer.alloc(0);
  return {
    take: (part: Buffer) => {
      add(part);
      lastBytes = Buffer.concat([lastBytes, part]).subarray(-maxTailBytes);
    },
    text: () => bytes().toString('utf8'),
    tail: () => lastBytes.toString('utf8').trimEnd().split(/\r?\n/).filter(Boolean).slice(-tailLineCount),
  };
}

type ProbeHost = Pick<CommandHost, 'probeUrl' | 'sleep'>;

export interface UrlRules {
  readonly timeoutMs: number;
  /** Text that the first 64 KiB of an answer must contain. */
  readonly expect?: string | undefined;
  /** Returns true if the canary sent the headers. Without this function every answer counts as the canary's. */
  readonly isCanary?: ((headers: ResponseHeaders) => boolean) | undefined;
  /** The short hash of the canary's commit: `9d4e1f7`. */
  readonly commit: string;
  readonly requests?: number | undefined;
}

type Answer = Awaited<ReturnType<typeof requestOnce>>;

const maxRequests = 60;
const pauseMs = 200;
/** Number of failures of the other version, or of requests without an answer, after which the result is certain. */
const decisiveCount = 3;

/** Returns how many requests make it 95 % probable that one reaches a canary with this share, but at most 60. */
export function requestCountFor(share: number): number {
  if (share <= 0 || share >= 100) return 1;
  return Math.min(maxRequests, Math.max(1, Math.ceil(Math.log(0.05) / Math.log(1 - share / 100))));
}

/**
 * Reads the value of `--only-from`, `X-Revision: {commit}`. The returned function takes a commit and returns the test
 * of headers for that commit. Throws `usage` for a value in another format.
 */
export function readCanaryTest(text: string): (hash: string) => (headers: ResponseHeaders) => boolean {
  const [, name, pattern] = /^([\w-]+): *(.*\{commit\}.*)$/.exec(text) ?? [];
  if (!name || !pattern) {
    throw new CliError('usage', `--only-from must be a header such as 'X-Revision: {commit}', not "${text}"`);
  }
  const [prefix = '', suffix = ''] = pattern.split('{commit}');
  return (hash) => (headers) => {
    const value = [headers[name.toLowerCase()] ?? ''].flat().join(', ').trim();
    if (!value.startsWith(prefix) || !value.endsWith(suffix)) return false;
    const commit = value.slice(prefix.length, value.length - suffix.length).toLowerCase();
    return commit.length >= 7 && hash.toLowerCase().startsWith(commit);
  };
}

/** Returns a check that requires 2xx with the expected text. With `isCanary`, only an answer of the canary is good. */
export function urlCheck(url: URL, rules: UrlRules, host: ProbeHost): RampCheck {
  const { isCanary, commit, expect } = rules;
  const address = `${url.origin}${url.pathname}`;
  const requestsAt = (share: number) => (isCanary ? (rules.requests ?? requestCountFor(share)) : 1);
  return {
    name: url.host,
    about: `${address}: 2xx${expect === undefined ? '' : ` with "${expect}"`}${isCanary ? `, answers of commit ${commit} only` : ''}`,
    requestsAt,
    run: async ({ share }, stop) => {
      const answers: Answer[] = [];
      for (;;) {
        answers.push(await requestOnce(url, rules, host, stop));
        const finding = findingIn(answers, commit, answers.length >= requestsAt(share) || stop.aborted);
        if (finding) return finding;
        await host.sleep(pauseMs, stop).catch(() => undefined);
      }
    },
  };
}

async function requestOnce(url: URL, rules: UrlRules, { probeUrl }: ProbeHost, signal: AbortSignal) {
  const { isCanary = () => true, expect, timeoutMs } = rules;
  const reply = await probeUrl(url, { timeoutMs, signal });
  if ('lost' in reply) return { of: 'nobody', isGood: false, reason: reply.lost, isNetwork: reply.isNetwork } as const;
  const { status, headers, text } = reply;
  const is2xx = status >= 200 && status < 300;
  const isGood = is2xx && (expect === undefined || text.includes(expect));
  const reason = is2xx && !isGood ? `status ${status} without "${expect}"` : `status ${status}`;
  return { of: isCanary(headers) ? 'canary' : 'other', isGood, reason, isNetwork: false } as const;
}

function findingIn(answers: readonly Answer[], commit: string, isLastAnswer: boolean): CheckFinding | undefined {
  const otherAnswers = answers.filter(({ of }) => of === 'other');
  const badAnswer = answers.find(({ of, isGood }) => of !== 'other' && !isGood);
  if (!badAnswer) {
    if (answers.some(({ of }) => of === 'canary')) return { result: 'good', reason: answers.at(-1)?.reason ?? '' };
    // The next request may reach the canary, so nothing is certain yet.
    if (!isLastAnswer) return undefined;
    const requestCountText = answers.length === 1 ? 'one request' : `${answers.length} requests`;
    return {
      result: 'held',
      reason: `no answer of commit ${commit} in ${requestCountText}`,
      hasOtherAnswered: otherAnswers.length > 0,
    };
  }
  // The canary is to blame only if the other version answers well in the same run of the check.
  if (!otherAnswers.some(({ isGood }) => isGood)) {
    const unanswered = answers.filter(({ of }) => of === 'nobody');
    if (!isLastAnswer && otherAnswers.length < decisiveCount && unanswered.length < decisiveCount) return undefined;
    const [other] = otherAnswers;
    if (other) return { result: 'held', reason: `the other version fails too (${other.reason}); ${badAnswer.reason}` };
  }
  // Any answer shows that our network works, so the network is blamed only if no request was answered.
  return { result: 'failed', reason: badAnswer.reason, isNetwork: answers.every(({ isNetwork }) => isNetwork) };
}
