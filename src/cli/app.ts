import type { CallMore, Context, EndProgram } from '../contract/command.ts';
import type { CommandLine, Destination } from '../contract/command-line.ts';
import type { HttpRequest } from '../contract/exchange.ts';
import type { Input, ResolveTarget } from '../contract/field.ts';
import type { CommandHost } from '../contract/host.ts';
import type { Watch } from '../contract/observe.ts';
import type { Calls, InputOf, Operation, ReplyOf } from '../contract/operation.ts';
import type { TopLevelCommand } from '../contract/tree.ts';
import type { RateLimit } from '../contract/watch.ts';
import type { CliError } from '../errors/cli-error.ts';
import type { Progress } from '../output/progress.ts';
import type { View } from '../output/view.ts';
import type { Settings } from '../settings/settings.ts';
import type { Options, TypedCommand } from './arguments/options.ts';
import type { Host } from './host.ts';

export interface Changes {
  readonly write: <O extends Operation>(
    run: Run,
    operation: O,
    input: InputOf<O>,
    more?: CallMore,
  ) => Promise<ReplyOf<O>>;
  readonly follow: (run: Run, watch: Watch) => Promise<unknown>;
  readonly recordProgram: (run: Run, ...target: Parameters<Context['recordProgram']>) => Promise<EndProgram>;
  /** Whether a change of this run has reached the service, or may have. */
  readonly wereSent: () => boolean;
  readonly undoneBy: (commands: readonly CommandLine[]) => Promise<void>;
}

/** The service as one command sees it. Nothing is connected before the first call. */
export interface Session extends Calls {
  readonly settings: Settings;
  readonly changes: () => Promise<Changes>;
  /** Hands planned changes to the approve_command of the profile; throws forbidden, with the reason, unless it agrees. */
  readonly approve: (planned: object) => Promise<void>;
  /** Hands the record of a run to the program that the profile names in `notify`. */
  readonly notify: (record: unknown, exitCode: number) => Promise<void>;
  /** Whether the service wants fewer requests. */
  readonly rateLimit: () => RateLimit | undefined;
  /** `shop/production`, or the UID where that cannot be read. */
  readonly describeStack: (uid: string) => Promise<string>;
  readonly toRequest: (operation: Operation, input: Input) => HttpRequest;
  /** Address of the service as --dry-run prints it, without a trailing slash. */
  readonly baseUrl: () => string;
  readonly resolveTarget: ResolveTarget;
  /** The same for a read, which may begin before the name of its stack is verified; no reply comes before that. */
  readonly targetWhileVerifying: ResolveTarget;
  /** Names or UIDs of the stacks that match a pattern; throws not_found. */
  readonly matchStacks: (pattern: string) => Promise<readonly string[]>;
  /** Does a read, and once more where the name of its stack turned out to mean another one. */
  readonly retryIfStale: <Value>(work: () => Promise<Value>) => Promise<Value>;
  /** Adds what the session knows to a problem: a stack that was taken as a UID without being looked up. */
  readonly explain: (error: CliError) => CliError;
  /** Before a hint is printed: a stored name of a stack is used in it only where it still means that stack. */
  readonly verifyDefaultStack: (answers: boolean) => Promise<void>;
  /** Where printed commands are to act, so that they mean what this run meant. */
  readonly destination: () => Destination;
  /** A line that says that nothing here is real. */
  readonly sandboxNotice: () => string | undefined;
  close(): Promise<void>;
}

/** Everything around one run of the program. Whoever never asks for the signal dies at once, as processes do. */
export interface App extends Omit<Host, 'argv' | 'ask' | 'forceExit' | 'readStdin' | 'sandbox'> {
  readonly topLevel: readonly TopLevelCommand[];
  readonly commandHost: CommandHost;
  readonly session: (options: Options) => Promise<Session>;
  /** Prints a question on stderr and reads one line; absent when stdin or stderr is no terminal. */
  readonly ask: Host['ask'] | undefined;
  readonly readText: (path: string, mostBytes?: number) => Promise<string>;
}

export interface DryRunRequest {
  readonly request: HttpRequest;
  /** Address of the service, without a trailing slash. */
  readonly baseUrl: string;
  readonly needsToken: boolean;
  /** The stack that it changes, as it was named. */
  readonly stack?: string | undefined;
}

/** One run of one command, from the line that was typed to the last line that is written. */
export interface Run {
  /** Its command is that of several stacks where the line names them. */
  readonly line: TypedCommand;
  readonly app: App;
  readonly session: Session;
  readonly view: View;
  readonly limits: {
    readonly dryRun: boolean;
    /** Whether changes are watched to their end, for how long, and the time between two checks. */
    readonly wait: boolean;
    readonly timeoutMs: number;
    readonly pollMs: number;
    /** Whether the service is checked when an answer is lost. */
    readonly reconcile: boolean;
  };
  /** What is said on stderr meanwhile; only warnings with --quiet. */
  readonly say: {
    readonly note: (line: string) => void;
    readonly warn: (line: string) => void;
    /** A new status of what is watched: `deployment 1042: deploying`. */
    readonly changed: (line: string) => void;
  };
  readonly progress: Progress;
  /** As that of the world, but for stdin where it names the stacks. */
  readonly readText: App['readText'];
  /** What was typed after `stackops`, without values that may be secret: for the journal. */
  readonly recorded: () => readonly string[];
  /** Requests that --dry-run prints instead of sending, or that are collected for an approval. */
  readonly unsent: DryRunRequest[];
  /** Throws forbidden unless the approve_command of the profile, where it has one, approves a change. */
  readonly requireApproval: (operation: Operation, input: Input) => Promise<void>;
  readonly state: {
    /** Nothing is sent while a plan is gone through to learn what approve_command is to see. */
    forApproval: boolean;
    readonly approved: string[];
    /** The names of several stacks, by UID: lines about one must say which. */
    stackNames?: ReadonlyMap<string, string>;
    waitingSinceMs?: number;
  };
}

/** The form in which a failure is reported: that of the view, once it is known. */
export interface ErrorFormat {
  json: boolean;
}
