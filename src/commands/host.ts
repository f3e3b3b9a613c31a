import type { PostForm } from '../auth/login-flow.ts';
import type { FoundToken, TokenCommand } from '../auth/token-source.ts';
import type { Command, Context } from '../contract/command.ts';
import type { CommandLine } from '../contract/command-line.ts';
import type { HttpResponse, RunDownload } from '../contract/exchange.ts';
import type { Input } from '../contract/field.ts';
import type { JsonObject } from '../contract/values/json.ts';
import type { Folders } from '../files/folders.ts';
import type { ForegroundHost } from '../programs/run.ts';
import type { Settings } from '../settings/settings.ts';
import type { ListStacks } from '../targets/stack.ts';
import type { Meter } from './backup/save.ts';
import type { Tree } from './commands/index.ts';

/** A request without a response. `stage` says where it failed. */
export interface ProbeFailure {
  readonly stage: 'DNS' | 'TCP' | 'TLS' | 'certificate' | 'proxy' | 'HTTP';
  readonly message: string;
}

export type ResponseHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

type UrlResponse =
  | { readonly status: number; readonly headers: ResponseHeaders; readonly text: string }
  | { readonly lost: string; readonly isNetwork: boolean };

declare module '../contract/host.ts' {
  interface CommandHost {
    readonly folders: () => Folders;
    readonly settings: Settings;
    readonly programs: ForegroundHost;
    /** Returns the address and the token of the embedded sandbox; undefined without --sandbox. */
    readonly embedded: () => { readonly baseUrl: URL; readonly token: FoundToken } | undefined;
    readonly tokenCommand: () => TokenCommand | undefined;
    readonly secretCommand: () => ((reference: string) => Promise<string>) | undefined;
    /** Sends the request for a token at the end of a sign-in. */
    readonly post: PostForm;
    /** Reads the list in which this run looks up stacks, at most once. */
    readonly listStacks: ListStacks;
    /** Reads a recorded command line without running it. Throws `usage` if it is invalid or reads a file. */
    readonly readPrinted: (line: CommandLine) => Promise<{
      readonly command: Command;
      readonly input: Input;
      /** Resolves the targets that the command line names, else the default targets. */
      readonly resolveTarget: Context['resolveTarget'];
    }>;
    /** Loads the command tree and, by command name, the JSON Schemas of the commands that print JSON. */
    readonly description: () => Promise<{
      readonly tree: () => Promise<Tree>;
      readonly schemas: () => Promise<ReadonlyMap<string, JsonObject>>;
    }>;
    /** Downloads a file of a backup without the token; see `RunDownload`. */
    readonly downloadFile: RunDownload;
    readonly createMeter: () => Promise<Meter>;
    /** Sends one GET without retries, for at most 10 seconds; throws when no request may be sent. */
    readonly probeService: (baseUrl: URL, path: string, token?: string) => Promise<HttpResponse | ProbeFailure>;
    /** Sends one GET without a credential and follows no redirect. */
    readonly probeUrl: (
      url: URL,
      options: { readonly timeoutMs: number; readonly signal: AbortSignal },
    ) => Promise<UrlResponse>;
  }
}
