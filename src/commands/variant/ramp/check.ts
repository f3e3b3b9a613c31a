import { whyText } from '../../../errors/try-or-warn.ts';
import { capture, firstBytes } from '../../../programs/capture.ts';
import { sentByTerminal } from '../../../programs/run.ts';
import type { RampServices } from './services.ts';

export interface CheckFinding {
  readonly result: 'good' | 'failed' | 'held';
  /** The reason in one line, and below it the last lines that it printed. */
  readonly said: string;
  /** It may be our network that failed. */
  readonly isNetwork?: boolean;
  /** The address answered, though nobody that counts. */
  readonly isAnswered?: boolean;
  readonly isUnstartable?: boolean;
  /** All that it printed, up to a limit. */
  readonly output?: string;
}

/** Where a ramp is, for a check and for its program. */
export interface CheckOptions {
  readonly share: number;
  readonly env: Readonly<Record<string, string>>;
}

export interface RampCheck {
  /** `curl`, `shop.example` */
  readonly name: string;
  /** What it is, for the preflight. */
  readonly about: string;
  readonly run: (place: CheckOptions, stop: AbortSignal) => Promise<CheckFinding>;
  /** The most requests of one run, by share. */
  readonly requestsAt: (share: number) => number;
}

const holdCode = 75;
const mostLogBytes = 64 * 1024;
const mostTailBytes = 4096;
const tailLines = 5;

/** A program of the operator, without a shell: 0 is good, 75 holds the step, all else has failed. */
export function programCheck(
  commandLine: readonly string[],
  { text, timeoutMs }: { readonly text: string; readonly timeoutMs: number },
  services: Pick<RampServices, 'env' | 'platform' | 'signalGroup' | 'deadline'>,
): RampCheck {
  const [program = ''] = commandLine;
  return {
    name: program.split('/').at(-1) ?? program,
    about: `${text} (exit 0 is good, ${holdCode} holds)`,
    requestsAt: () => 0,
    run: async ({ env }, stop) => {
      const late = services.deadline(timeoutMs);
      const over = AbortSignal.any([stop, late]);
      const runOnce = async () => {
        const output = outputBuffer();
        const ending = await capture({
          commandLine,
          env: { ...services.env, ...env },
          platform: services.platform,
          withStderr: true,
          take: output.take,
          // Its own group: Ctrl-C at the terminal is not for the check.
          signalGroup: services.signalGroup,
          stop: over,
          isEnough: () => true,
        });
        return { ...ending, output };
      };
      try {
        const first = await runOnce();
        // A key can end a program that has not reached its own group yet, which says nothing of the canary.
        const { code, signal, output } = endedByKey(first) && !over.aborted ? await runOnce() : first;
        const say = (reason: string) => ({ said: [reason, ...output.tail()].join('\n'), output: output.text() });
        if (late.aborted) return { result: 'failed', isNetwork: true, ...say(`no end within ${timeoutMs / 1000} s`) };
        if (code === 0) return { result: 'good', ...say('exit code 0') };
        const isHeld = code === holdCode || endedByKey({ signal });
        return { result: isHeld ? 'held' : 'failed', ...say(signal ?? `exit code ${code}`) };
      } catch (error) {
        return { result: 'held', said: whyText(error), isUnstartable: true };
      }
    },
  };
}

function endedByKey({ signal }: { readonly signal: NodeJS.Signals | null }): boolean {
  return signal !== null && sentByTerminal.includes(signal);
}

/** The beginning of what is printed for the log, and its end for people. */
function outputBuffer() {
  const { add, kept } = firstBytes(mostLogBytes);
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
