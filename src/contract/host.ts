import type { Destination } from './command-line.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

type OnSignal = (signal: NodeJS.Signals) => void;
export type WithSignalHandler = <Value>(onSignal: OnSignal, work: () => Promise<Value>) => Promise<Value>;

/** The process and session for custom commands. `commands/host.ts` adds parts whose types are in other folders. */
export interface CommandHost extends Pick<Redactor, 'hide' | 'redact'>, Pick<Destination, 'stackName'> {
  readonly version: string;
  readonly env: Environment;
  /** The name of the variable by which we recognize that an agent runs us; undefined for a person. */
  readonly agent: string | undefined;
  /** The operating system and the runtime: `linux; node v20.20.2`. */
  readonly platform: string;
  /** Aborted by the first SIGINT (Ctrl-C), SIGTERM or SIGHUP. The reason is the name of the signal. */
  readonly signal: AbortSignal;
  /** Waits; rejects when the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Sends a signal to all processes of a group; throws for an empty group. Undefined on Windows. */
  readonly signalGroup: ((leader: number, signal: NodeJS.Signals) => void) | undefined;
  /** Writes to stdout at once, before the result of the command. */
  readonly print: (text: string) => Promise<void>;
  /** Prints a line on stderr, even with --quiet, such as how to sign in. */
  readonly say: (line: string) => void;
  /** Prints the full sign-in address on stderr. */
  readonly sayAddress: (url: URL) => void;
  readonly hasBrowser: () => Promise<boolean>;
  /** Opens an address in the browser. Returns false when no browser was started; never throws. */
  readonly openBrowser: (url: URL) => Promise<boolean>;
  /** Lowers the number of simultaneous requests for the rest of the run. */
  readonly limitRequests: (maxRequests: number) => void;
  /** Returns the address of the service, without a trailing slash. */
  readonly baseUrl: () => string;
  /** Returns `host:port` of the proxy for an address; undefined without one. Throws `usage` for an invalid proxy. */
  readonly proxyFor: (baseUrl: URL) => Promise<string | undefined>;
  /** Returns `name/environment` of a stack if the run has read it already, else the same as `stackName`. */
  readonly stackTitle: (uid: string) => string;
  /** Replaces an alias by the words that it stands for: `env set` becomes `stack env set`. */
  readonly withoutAlias: (words: readonly string[]) => readonly string[];
  /** Returns the first word that is neither an option nor the value of an option: `apply` of `-s env apply`. */
  readonly firstWord: (words: readonly string[]) => string | undefined;
  /** Serves a client of `stackops mcp` on stdin and stdout, until stdin ends or a signal arrives. */
  readonly serve: (allowsWrites: boolean) => Promise<void>;
  /** Tests the token with a harmless read. Throws the error of the read if it fails. */
  readonly verify: (token: string) => Promise<void>;
  /** Returns the owner of the token; null if the service does not say. */
  readonly ownerOf: (token: string) => Promise<string | null>;
}

export interface Redactor {
  /** Registers a credential: no printed text and no journal entry shows it. */
  hide(secret: string): void;
  /** Registers a value that the run writes, so that quoted messages from the service do not show it. */
  hideWritten(value: string): void;
  /** Returns the text with `***` in place of every credential. */
  redact(text: string): string;
  /** Returns text from the service as one line of at most 500 characters, without credentials and written values. */
  quote(text: string): string;
}
