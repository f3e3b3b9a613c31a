import type { Clock } from '../contract/command.ts';
import type { Redactor } from '../contract/host.ts';
import type { AskOptions, RawStream, Stderr, Stdout } from '../output/safe/create-output.ts';
import { colourLevel } from '../output/table/theme.ts';
import type { Behaviour } from '../sandbox/answer.ts';
import type { Resolved } from '../settings/settings.ts';

/** A terminal to redraw until `quit`. */
export interface Screen {
  /** Lines; 0 when unknown. */
  readonly height: number;
  readonly hasKeys: boolean;
  /** Sends events until the returned function is called, which restores the terminal. */
  listen(take: (event: ScreenEvent) => void): () => void;
}

export type ScreenEvent = 'quit' | 'resized';

/** The process. main.ts passes the real one, tests another. */
export interface RawHost extends Clock {
  /** A help page with bold headings, where stdout is a terminal that wants them. */
  readonly styledPage?: (page: string) => string;
  readonly version: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Such as `linux; node v20.20.2`, for the User-Agent. */
  readonly platform: string;
  /** `process.versions.v8`, for the Node 20 speed-up. */
  readonly v8Version: string;
  readonly out: RawStream;
  readonly err: RawStream;
  readonly stdinTerminal: boolean;
  /** The words that start this program again. */
  readonly self: readonly string[];
  /** stdin in pieces as they arrive. */
  readonly pieces: () => AsyncIterable<Uint8Array>;
  /** Reads all of stdin, but stops after more than `mostBytes`. */
  readonly readStdin: (mostBytes: number) => Promise<Uint8Array>;
  readonly screen: Screen;
  /** Asks on stderr and reads one line; undefined at the end of input. */
  readonly ask: (question: string, options?: AskOptions) => Promise<string | undefined>;
  /** Aborted by the first Ctrl-C or SIGTERM; the reason is the name of the signal. */
  readonly signal: AbortSignal;
  /** Replaces the end of the process at a second Ctrl-C, once. */
  readonly onSecondInterrupt: (work: () => void) => void;
  /** Lets a signal end the process at once; returns false when one has come already. */
  readonly releaseSignals: () => Promise<boolean>;
  /** During `work` each signal goes to `take`, and none stops the run. Throws interrupted when one has come already. */
  readonly withSignalHandler: <Value>(
    take: (signal: NodeJS.Signals) => void,
    work: () => Promise<Value>,
  ) => Promise<Value>;
  /** Sends a signal to a process group; throws when it is empty. Undefined on Windows. */
  readonly signalGroup: ((leader: number, signal: NodeJS.Signals) => void) | undefined;
  /** Ends the process with the run, even with unfinished work that no one awaits or cancels. */
  readonly forceExit: () => void;
  /** Returns a new reference: `stackops-` and a UUID. */
  readonly reference: () => string;
  /** Rejects when the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Behaviour of the sandbox of --sandbox, for tests. */
  readonly sandbox?: Behaviour;
}

/** Merges two objects and keeps their getters: Node builds a stream or signal at its first use. */
export function mergeLazily<Base extends object, More extends object>(
  base: Base,
  more: More,
): Omit<Base, keyof More> & More {
  const parts = { ...Object.getOwnPropertyDescriptors(base), ...Object.getOwnPropertyDescriptors(more) };
  return Object.defineProperties({} as Omit<Base, keyof More> & More, parts);
}

/** The process behind the safe output. */
export interface Host extends Omit<RawHost, 'out' | 'err'> {
  readonly out: Stdout;
  readonly err: Stderr;
  readonly redactor: Redactor;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Windows ignores the case of names and spells PATH `Path`, so there names become upper case. */
export function readEnvironment(env: Environment, platform: string): Environment {
  if (platform !== 'win32') return { ...env };
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [name.toUpperCase(), value]));
}

/** Variables that a coding agent sets. People set CODEX_HOME and CODEX_API_KEY themselves. */
const agentMarks = /^(AI_AGENT|AGENT|CLAUDECODE|CODEX_(?!HOME$|API_KEY$)\w+|CURSOR_AGENT|GEMINI_CLI|OPENCODE)$/;

/** The variable that shows an agent; undefined for a person or a job. */
export function agentIn(env: Environment): string | undefined {
  return Object.keys(env).find((name) => env[name] && agentMarks.test(name));
}

/** Returns the variable that marks a run without a person, even at a terminal. */
export function unattendedBy(env: Environment): string | undefined {
  return ['STACKOPS_NO_INPUT', 'CI'].find((name) => env[name]) ?? agentIn(env);
}

/** Decides on colour: a flag comes first, then the variables that all programs share, then the stored preference. */
export function wantsColour({ value, origin }: Resolved, env: Environment, terminal: boolean): boolean {
  const shared = env['NO_COLOR'] || env['FORCE_COLOR'] || env['CLICOLOR_FORCE'];
  const flag = origin.kind === 'flag' || !shared ? value : undefined;
  return colourLevel({ flag, env, isTTY: terminal }) > 0;
}
