import type { CallOptions, Context, RecordExitCode } from '../contract/command.ts';
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
import type { Invocation, Options, TypedCommand } from './arguments/options.ts';
import type { Host } from './host.ts';

export interface ChangeRunner {
  readonly write: <O extends Operation>(
    run: Run,
    operation: O,
    input: InputOf<O>,
    more?: CallOptions,
  ) => Promise<ReplyOf<O>>;
  readonly follow: (run: Run, watch: Watch) => Promise<unknown>;
  readonly recordProgram: (run: Run, ...target: Parameters<Context['recordProgram']>) => Promise<RecordExitCode>;
  /** True when a change of this run reached, or may have reached, the service. */
  readonly wereChangesSent: () => boolean;
  readonly recordUndo: (commands: readonly CommandLine[]) => Promise<void>;
}

/** The settings of one command line and its calls of the service. No connection is opened before the first call. */
export interface Session extends Calls {
  readonly settings: Settings;
  readonly changeRunner: () => Promise<ChangeRunner>;
  /** Hands planned changes to the approve_command of the profile. Throws `forbidden` unless it approves them. */
  readonly approve: (plannedChanges: object) => Promise<void>;
  readonly notify: (record: unknown, exitCode: number) => Promise<void>;
  readonly rateLimit: () => RateLimit | undefined;
  /** Returns `shop/production`, or the UID if the stack cannot be read. */
  readonly readStackTitle: (uid: string) => Promise<string>;
  readonly toRequest: (operation: Operation, input: Input) => HttpRequest;
  /** Returns the address of the service, without a trailing slash. */
  readonly baseUrl: () => string;
  readonly resolveTarget: ResolveTarget;
  /** Like `resolveTarget`, for a read. Does not wait until the name of the stack is verified: the read waits for it. */
  readonly resolveUnverifiedTarget: ResolveTarget;
  /** Returns names or UIDs of the stacks that match a pattern. Throws `not_found` if none does. */
  readonly matchStacks: (pattern: string) => Promise<readonly string[]>;
  /** Runs a read. Repeats the read if the stored UID of its stack was out of date. */
  readonly retryIfStale: <Value>(work: () => Promise<Value>) => Promise<Value>;
  /** Returns the error, with an explanation if the UID of its stack was guessed or the address may be wrong. */
  readonly explainError: (error: CliError) => CliError;
  /** Makes printed commands use the UID of the default stack, if its stored name is outdated or cannot be checked. */
  readonly verifyDefaultStack: (isReachable: boolean) => Promise<void>;
  /** Returns the service and account of this run, so that printed commands act on the same service and account. */
  readonly destination: () => Destination;
  /** Returns the line that tells that the sandbox is not real; undefined for a real service. */
  readonly sandboxNotice: () => string | undefined;
  /** Returns the notice for a sandbox that is a copy, which replaces the usual one; undefined for another sandbox. */
  readonly sandboxCopyNotice: () => Promise<string | undefined>;
  readonly commandHost: CommandHost;
  close(): Promise<void>;
}

/** One call of `stackops mcp`, which runs each call in a process of its own. */
export interface ServedCall {
  readonly tool: 'commands' | 'help' | 'read' | 'plan' | 'change';
  readonly argv: readonly string[];
  /** The options of `stackops mcp` that select the service, the account and the server group. */
  readonly start: Options;
  /** The only stacks that the call may reach. An empty list allows all. */
  readonly stacks: readonly string[];
  readonly confirm?: string;
  /** The reference that a plan and its change have in common. */
  readonly reference: string;
  /** The plan that a change must be equal to. */
  readonly planned?: PlanHashes;
  readonly tellsProgress?: boolean;
}

/** Hashes of the requests of a plan, and of the values that must not change before the requests are sent. */
export interface PlanHashes {
  readonly requests: readonly string[];
  readonly basis: string;
}

/** The process for one run. Until `signal` is read for the first time, a signal ends the process at once. */
export interface App extends Omit<Host, 'argv' | 'ask' | 'forceExit' | 'readStdin' | 'sandbox'> {
  readonly topLevel: readonly TopLevelCommand[];
  readonly session: (options: Options) => Promise<Session>;
  /** See `RawHost.ask`. Undefined where no one can answer: without a terminal, with --no-input, in CI, for an agent. */
  readonly ask: Host['ask'] | undefined;
  readonly readText: (path: string, mostBytes?: number) => Promise<string>;
  /** The call that this process serves for `stackops mcp`; undefined in any other run. */
  readonly call: ServedCall | undefined;
  readonly admit: (invocation: Invocation, call: ServedCall) => Promise<Invocation>;
}

export interface DryRunRequest {
  readonly request: HttpRequest;
  /** Address of the service, without a trailing slash. */
  readonly baseUrl: string;
  readonly needsToken: boolean;
  /** Name of the changed stack, as in the input. */
  readonly stack?: string | undefined;
}

export interface Run {
  /** When `-s` names several stacks, `command` is the version of the command for several stacks. */
  readonly line: TypedCommand;
  readonly app: App;
  readonly session: Session;
  readonly view: View;
  readonly writeOptions: {
    readonly dryRun: boolean;
    /** True when changes are watched to their end, for `timeoutMs` at most, with a check every `pollMs`. */
    readonly wait: boolean;
    readonly timeoutMs: number;
    readonly pollMs: number;
    /** True when the service is checked after a lost response. */
    readonly reconcile: boolean;
  };
  /** Prints lines on stderr. With --quiet it prints only warnings. */
  readonly say: {
    readonly note: (line: string) => void;
    readonly warn: (line: string) => void;
    /** Prints a new status of the watched operation: `deployment 1042: deploying`. */
    readonly noteStatus: (line: string) => void;
  };
  readonly progress: Progress;
  /** Like `app.readText`, but throws `usage` for stdin if `-s -` reads the names of the stacks from it. */
  readonly readText: App['readText'];
  readonly isProtected: () => boolean;
  /** Returns the words after `stackops` for the journal, without values that may be secret. */
  readonly argvForJournal: () => readonly string[];
  /** Requests to print with --dry-run, or to send to approve_command. */
  readonly unsentRequests: DryRunRequest[];
  readonly requireApproval: (operation: Operation, input: Input) => Promise<void>;
  readonly state: {
    /** True while a plan runs only to collect requests for approve_command. */
    isCollectingForApproval: boolean;
    /** The approved changes, and how often each may still be sent. */
    readonly approved: Map<string, number>;
    /** Names of the stacks by UID. Set only for several stacks; each line about an operation then names its stack. */
    stackNames?: ReadonlyMap<string, string>;
    waitingSinceMs?: number;
    /** A hash of the data that must not change between a plan and its execution. */
    basisHash?: string;
  };
}

/** The format of a printed error. It is changed as soon as the format of the output is known. */
export interface ErrorFormat {
  json: boolean;
}
