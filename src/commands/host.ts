import type { Post } from '../auth/login-flow.ts';
import type { FoundToken, TokenCommand } from '../auth/token-source.ts';
import type { Command, Context } from '../contract/command.ts';
import type { CommandLine } from '../contract/command-line.ts';
import type { Fetch, HttpResponse } from '../contract/exchange.ts';
import type { Input } from '../contract/field.ts';
import type { JsonObject } from '../contract/values/json.ts';
import type { Folders } from '../files/folders.ts';
import type { ForegroundHost } from '../programs/run.ts';
import type { Settings } from '../settings/settings.ts';
import type { ListStacks } from '../targets/stack.ts';
import type { Meter } from './backup/save.ts';
import type { Tree } from './commands/index.ts';

/** No response came; `stage` is where the request failed. */
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
    /** The address and the token of --sandbox; undefined without it. */
    readonly embedded: () => { readonly baseUrl: URL; readonly token: FoundToken } | undefined;
    /** The program of the profile that prints the token; undefined when none is set. */
    readonly tokenCommand: () => TokenCommand | undefined;
    /** Reads the secret of a reference with the program of the profile; undefined when none is set. */
    readonly secretCommand: () => ((reference: string) => Promise<string>) | undefined;
    /** Sends the token request; see `Post` for its limits. */
    readonly post: Post;
    /** The list in which this run looks up stacks, read once. */
    readonly listStacks: ListStacks;
    /** Reads a recorded command like input and runs nothing; throws usage. */
    readonly readPrinted: (line: CommandLine) => Promise<{
      readonly command: Command;
      readonly input: Input;
      /** Resolves its targets, or else the default ones. */
      readonly resolveTarget: Context['resolveTarget'];
    }>;
    /** The command tree, and the JSON Schema of each command that prints JSON, by name. */
    readonly description: () => Promise<{
      readonly tree: () => Promise<Tree>;
      readonly schemas: () => Promise<ReadonlyMap<string, JsonObject>>;
    }>;
    /** Downloads a file of a backup without the token; see `Fetch`. */
    readonly fetchFile: Fetch;
    /** Shows the progress of a download. */
    readonly createMeter: () => Promise<Meter>;
    /** Sends one GET without retries, for at most 10 seconds; throws when no request may be sent. */
    readonly probeService: (baseUrl: URL, path: string, token?: string) => Promise<HttpResponse | ProbeFailure>;
    /** Sends one GET without a credential; no redirect is followed. */
    readonly probeUrl: (
      url: URL,
      options: { readonly timeoutMs: number; readonly signal: AbortSignal },
    ) => Promise<UrlResponse>;
  }
}
