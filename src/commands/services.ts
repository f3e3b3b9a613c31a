import type { Post } from '../auth/exchange.ts';
import type { FoundToken } from '../auth/token-source.ts';
import type { Folders } from '../files/folders.ts';
import type { Settings } from '../settings/settings.ts';

/**
 * What the commands around sign-in, profiles and settings touch beyond `Context`. Settings and folders are functions,
 * because menus are made before flags are read.
 */
export interface Services {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly folders: () => Folders;
  readonly settings: () => Settings;
  /** What was given for a stack, else its UID. */
  readonly stackName: (uid: string) => string;
  /** With --sandbox: its address, and the token that stands in for a sign-in. */
  readonly embedded: () => { readonly baseUrl: URL; readonly token: FoundToken } | undefined;
  /** One harmless read with this token at the service of these settings; throws what any call would throw. */
  readonly verify: (token: string) => Promise<void>;
  /** Sends the token request; see `Post` for its limits. */
  readonly post: Post;
  /** False when no browser was started. Never throws. */
  readonly openBrowser: (url: URL) => Promise<boolean>;
  /** Learns a credential that no message and no record is to repeat. */
  readonly hide: (secret: string) => void;
  /** A text without the credentials that were learned. */
  readonly redact: (text: string) => string;
  /** A line on stderr, also with --quiet: the sign-in address must always be seen. */
  readonly say: (line: string) => void;
  /** The sign-in address, whole, in the same place. */
  readonly sayAddress: (url: URL) => void;
  /** A question on stderr and one line of answer, undefined at the end of input. Absent when nobody can answer. */
  readonly ask: ((question: string, options?: AskOptions) => Promise<string | undefined>) | undefined;
  /** Aborted by the first Ctrl-C. */
  readonly signal: AbortSignal;
}

export interface AskOptions {
  /** Nothing of what is typed is shown. */
  readonly hidden?: boolean;
  /** Aborted when the answer is no longer wanted; the question then ends with undefined. */
  readonly signal?: AbortSignal;
}
