import type { Post } from '../auth/exchange.ts';
import type { FoundToken } from '../auth/token-source.ts';
import type { Folders } from '../files/folders.ts';
import type { Settings } from '../settings/settings.ts';

/**
 * What the commands for sign-in, profiles and settings need beyond `Context`. Settings and folders are functions,
 * because menus are built before flags are read.
 */
export interface Services {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly folders: () => Folders;
  readonly settings: () => Settings;
  /** The name typed for a stack, else its UID. */
  readonly stackName: (uid: string) => string;
  /** With --sandbox: its address, and the token used in place of a sign-in. */
  readonly embedded: () => { readonly baseUrl: URL; readonly token: FoundToken } | undefined;
  /** Makes one harmless read with this token at the configured service; throws what any call would throw. */
  readonly verify: (token: string) => Promise<void>;
  /** Sends the token request; see `Post` for its limits. */
  readonly post: Post;
  /** False when no browser was started. Never throws. */
  readonly openBrowser: (url: URL) => Promise<boolean>;
  /** Registers a credential, so that no message and no record shows it. */
  readonly hide: (secret: string) => void;
  /** The text without registered credentials. */
  readonly redact: (text: string) => string;
  /** Prints a line on stderr, also with --quiet: the sign-in address must always be visible. */
  readonly say: (line: string) => void;
  /** Prints the whole sign-in address on stderr. */
  readonly sayAddress: (url: URL) => void;
  /** Asks on stderr and reads one line; undefined at the end of input. Absent when nobody can answer. */
  readonly ask: ((question: string, options?: QuestionOptions) => Promise<string | undefined>) | undefined;
  /** Aborted by the first Ctrl-C. */
  readonly signal: AbortSignal;
}

export interface QuestionOptions {
  /** The typed text is not shown. */
  readonly hidden?: boolean;
  /** Aborted when the answer is no longer needed; the question then ends with undefined. */
  readonly signal?: AbortSignal;
}
