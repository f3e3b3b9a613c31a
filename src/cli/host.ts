import type { Ask, Clock } from '../contract/command.ts';
import type { CommandHost, Environment, Redactor, WithSignalHandler } from '../contract/host.ts';
import type { RawStream, Stderr, Stdout } from '../output/safe/create-output.ts';
import { colourLevel } from '../output/table/theme.ts';
import type { SandboxBehaviour } from '../sandbox/answer.ts';
import type { ResolvedValue } from '../settings/settings.ts';

/** A terminal that is redrawn until the event `quit`. */
export interface Screen {
  /** The height in lines; 0 when unknown. */
  readonly height: number;
  readonly hasKeys: boolean;
  /** Sends events until the returned function is called, which restores the terminal. */
  listen(onEvent: (event: ScreenEvent) => void): () => void;
}

export type ScreenEvent = 'quit' | 'resized';

type SharedWithCommands = 'version' | 'env' | 'platform' | 'signal' | 'signalGroup' | 'sleep';

/** The process as the program sees it. main.ts passes the real process; tests pass another. */
export interface RawHost extends Clock, Pick<CommandHost, SharedWithCommands> {
  /** Returns a help page with bold headings if stdout is a terminal with styles, else the unchanged page. */
  readonly styledPage?: (page: string) => string;
  readonly argv: readonly string[];
  /** The version of V8, by which the transport decides on a speed-up for Node 20. */
  readonly v8Version: string;
  readonly out: RawStream;
  readonly err: RawStream;
  readonly stdinTerminal: boolean;
  /** The command line that starts stackops again, without its arguments. */
  readonly self: readonly string[];
  /** Returns stdin in the pieces in which it arrives. */
  readonly pieces: () => AsyncIterable<Uint8Array>;
  /** Reads all of stdin. Throws `usage` for more than `mostBytes`, and `interrupted` after a signal. */
  readonly readStdin: (mostBytes: number) => Promise<Uint8Array>;
  readonly screen: Screen;
  /** Asks on stderr and returns the typed line; undefined at the end of input. */
  readonly ask: Ask;
  /** Makes the second Ctrl-C call `work`, instead of ending the process. A third Ctrl-C ends the process. */
  readonly onSecondInterrupt: (work: () => void) => void;
  /** From now on a signal ends the process at once. Returns false if there was a signal before. */
  readonly releaseSignals: () => Promise<boolean>;
  /** Hands signals to `onSignal` while `work` runs, so no signal stops the run. Throws `interrupted` after a signal. */
  readonly withSignalHandler: WithSignalHandler;
  /** Makes the process end with the run, even if there is unfinished work that nothing waits for. */
  readonly forceExit: () => void;
  /** Returns a new reference: `stackops-` and a UUID. */
  readonly reference: () => string;
  /** Behaviour of the sandbox of --sandbox, for tests. */
  readonly sandbox?: SandboxBehaviour;
}

/** Merges two objects and keeps their getters, so that Node builds a stream or signal only when it is used. */
export function mergeLazily<Base, More>(base: Base, more: More): Omit<Base, keyof More> & More {
  const descriptors = { ...Object.getOwnPropertyDescriptors(base), ...Object.getOwnPropertyDescriptors(more) };
  return Object.defineProperties({} as Omit<Base, keyof More> & More, descriptors);
}

/** The process with safe output streams, which clean and redact each text. */
export interface Host extends Omit<RawHost, 'out' | 'err'> {
  readonly out: Stdout;
  readonly err: Stderr;
  readonly redactor: Redactor;
}

/** Copies the environment. Windows ignores the case of names and spells PATH `Path`, so its names become upper case. */
export function copyEnvironment(env: Environment, platform: string): Environment {
  if (platform !== 'win32') return { ...env };
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [name.toUpperCase(), value]));
}

/** Matches variables that only coding agents set. CODEX_HOME and CODEX_API_KEY are also set by people. */
const agentPattern = /^(AI_AGENT|AGENT|CLAUDECODE|CODEX_(?!HOME$|API_KEY$)\w+|CURSOR_AGENT|GEMINI_CLI|OPENCODE)$/;

/** Returns the name of a variable by which an agent is recognized; undefined for a person or a job. */
export function findAgentVariable(env: Environment): string | undefined {
  return Object.keys(env).find((name) => env[name] && agentPattern.test(name));
}

/** Returns the name of a variable that marks a run without a person, even at a terminal; undefined without one. */
export function findUnattendedVariable(env: Environment): string | undefined {
  return ['STACKOPS_NO_INPUT', 'CI'].find((name) => env[name]) ?? findAgentVariable(env);
}

/** True for coloured output. A flag decides, else a variable that many programs read, else the stored preference. */
export function wantsColour({ value, origin }: ResolvedValue, env: Environment, terminal: boolean): boolean {
  const sharedVariable = env['NO_COLOR'] || env['FORCE_COLOR'] || env['CLICOLOR_FORCE'];
  const flag = origin.kind === 'flag' || !sharedVariable ? value : undefined;
  return colourLevel({ flag, env, isTTY: terminal }) > 0;
}
