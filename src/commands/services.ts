import type { Post } from '../auth/login-flow.ts';
import type { TokenCommand } from '../auth/token-command.ts';
import type { FoundToken } from '../auth/token-source.ts';
import type { Folders } from '../files/folders.ts';
import type { Settings } from '../settings/settings.ts';

/**
 * What commands for sign-in, profiles and settings need beyond `Context`. Settings and folders are functions, because
 * commands are built before flags are read.
 */
export interface Services {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Such as `linux; node v20.20.2`. */
  readonly platform: string;
  readonly folders: () => Folders;
  readonly settings: () => Settings;
  /** The stack as typed, else its UID. */
  readonly stackName: (uid: string) => string;
  /** `name/environment` where it is known without a request, else the stack as typed. */
  readonly stackTitle: (uid: string) => string;
  /** With --sandbox: its address and its token. */
  readonly embedded: () => { readonly baseUrl: URL; readonly token: FoundToken } | undefined;
  /** The program of the profile that prints the token; undefined when none is set. */
  readonly tokenCommand: () => TokenCommand | undefined;
  /** Sends one harmless read with this token; throws what any call would throw. */
  readonly verify: (token: string) => Promise<void>;
  /** Whose token it is; null where the service does not say. */
  readonly ownerOf: (token: string) => Promise<string | null>;
  /** Sends the token request; see `Post` for its limits. */
  readonly post: Post;
  /** False when no browser was started. Never throws. */
  readonly openBrowser: (url: URL) => Promise<boolean>;
  /** Whether a browser could open where the operator sits. */
  readonly hasBrowser: () => Promise<boolean>;
  /** Registers a credential, so that no message and no journal entry shows it. */
  readonly hide: (secret: string) => void;
  /** The text without registered credentials. */
  readonly redact: (text: string) => string;
  /** Prints a line on stderr, even with --quiet: the sign-in address must be visible. */
  readonly say: (line: string) => void;
  /** Prints the full sign-in address on stderr. */
  readonly sayAddress: (url: URL) => void;
  /** Asks on stderr and reads one line; undefined at the end of input, or once it is aborted. Absent without a terminal. */
  readonly ask:
    | ((
        question: string,
        options?: { readonly hidden?: boolean; readonly signal?: AbortSignal },
      ) => Promise<string | undefined>)
    | undefined;
  /** Aborted by the first Ctrl-C or SIGTERM; the reason is the name of the signal. */
  readonly signal: AbortSignal;
}
