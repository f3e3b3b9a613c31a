import type { Context } from '../../../contract/command.ts';
import { whyText } from '../../../errors/try-or-warn.ts';
import { capture, firstBytes } from '../../../programs/capture.ts';
import { sentByTerminal } from '../../../programs/run.ts';

export interface CheckFinding {
  readonly result: 'good' | 'failed' | 'held';
  /** One line. */
  readonly reason: string;
  /** The last lines that it printed. */
  readonly output?: readonly string[];
  /** It may be our network that failed. */
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
  /** For the preflight. */
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
          // In its own group Ctrl-C at the terminal does not reach it.
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
  return signal !== null && sentByTerminal.includes(signal);
}

/** Keeps the first bytes of the output for the log and its last lines for people. */
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
