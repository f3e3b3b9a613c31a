/**
 * The process and the session for hand-written commands. `commands/host.ts` adds the parts with types of other folders.
 */
export interface CommandHost {
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The variable that shows an agent. */
  readonly agent: string | undefined;
  /** Such as `linux; node v20.20.2`. */
  readonly platform: string;
  /** Aborted by the first Ctrl-C or SIGTERM; the reason is the name of the signal. */
  readonly signal: AbortSignal;
  /** Rejects when the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Sends a signal to all processes of a group; throws when there are none. Undefined on Windows. */
  readonly signalGroup: ((leader: number, signal: NodeJS.Signals) => void) | undefined;
  /** Writes to stdout at once, before the result of the command. */
  readonly print: (text: string) => Promise<void>;
  /** Prints a line on stderr, even with --quiet: the sign-in address must be visible. */
  readonly say: (line: string) => void;
  /** Prints the full sign-in address on stderr. */
  readonly sayAddress: (url: URL) => void;
  /** Registers a credential, so that no message and no journal entry shows it. */
  readonly hide: (secret: string) => void;
  readonly redact: (text: string) => string;
  /** True where a browser could open on the screen of the operator. */
  readonly hasBrowser: () => Promise<boolean>;
  /** False when no browser was started. Never throws. */
  readonly openBrowser: (url: URL) => Promise<boolean>;
  /** Lowers the number of requests at once for the rest of the run. */
  readonly limitRequests: (most: number) => void;
  /** Address of the service, without a trailing slash. */
  readonly baseUrl: () => string;
  /** `host:port` of the proxy in use; throws usage for an unusable one. */
  readonly proxyFor: (baseUrl: URL) => Promise<string | undefined>;
  /** The name of the stack in the input, else its UID. */
  readonly stackName: (uid: string) => string;
  /** `name/environment` where it is known without a request, else as `stackName`. */
  readonly stackTitle: (uid: string) => string;
  /** Words with an alias in full: `stack env set` for `env set`. */
  readonly withoutAlias: (words: readonly string[]) => readonly string[];
  /** The first word that is neither an option nor its value: `apply` of `-s env apply`. */
  readonly firstWord: (words: readonly string[]) => string | undefined;
  /** Serves a client of `stackops mcp` on stdin and stdout, to its end. */
  readonly serve: (allowsWrites: boolean) => Promise<void>;
  /** Sends one harmless read with this token; throws the error of that read. */
  readonly verify: (token: string) => Promise<void>;
  /** The owner of the token; null where the service does not say. */
  readonly ownerOf: (token: string) => Promise<string | null>;
}

/** Removes credentials and written values of this run from texts. */
export interface Redactor {
  /** Registers a credential: no printed text and no journal entry shows it. */
  hide(secret: string): void;
  /** Registers a written value: quoted messages of the service do not show it. */
  written(value: string): void;
  /** Text for a person or a record, with `***` in place of every credential. */
  redact(text: string): string;
  /** A service text as one line: without credentials and written values, at most 500 characters. */
  quote(text: string): string;
}
