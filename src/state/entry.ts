/** The sections of a stack that a file can manage, in the order in which a plan shows them. */
export const sectionNames = ['env', 'settings', 'servers', 'tags', 'processes'] as const;
/** `servers` holds the settings of servers, `tags` their tags. */
export type SectionName = (typeof sectionNames)[number];

/** The place of an entry in its file. */
export interface EntrySource {
  readonly file: string;
  readonly line: number;
  /** The stack whose overlay holds it; null for the base. */
  readonly stack: string | null;
}

/** The right side of an entry, as it is written. */
export type Expression =
  | { readonly kind: 'literal'; readonly value: string }
  /** `from` is the name of a variable, a path below the folder of the file, or the argument of secret_command. */
  | { readonly kind: 'env' | 'file' | 'secret'; readonly from: string }
  | { readonly kind: 'preserve' | 'absent' | 'unmanaged' }
  /** Sorted, each once. */
  | { readonly kind: 'tags'; readonly tags: readonly string[] }
  /** `2..4`; equal for a single number. */
  | { readonly kind: 'count'; readonly least: number; readonly most: number };

/** The right side of a new entry: a value, never a reference. */
export type NewExpression = Exclude<Expression, { readonly from: string }>;

export interface StackEntry {
  readonly section: SectionName;
  /** `env.KEY`, `settings.KEY`, `servers.NAME.tags`, `servers.NAME.settings.KEY`, `processes.NAME.SERVER`. */
  readonly path: string;
  /** The variable, the setting or the process; `tags` for tags. */
  readonly key: string;
  /** The server or `@role`, as the file spells it. */
  readonly server?: string;
  readonly expression: Expression;
  readonly allow_empty: boolean;
  readonly source: EntrySource;
}

type Place = Pick<StackEntry, 'section' | 'key'> & { readonly server?: string | undefined };

/** The keys that lead to an entry in its file. */
export function keyPathOf({ section, key, server = '' }: Place): readonly string[] {
  const keys = {
    env: ['env', key],
    settings: ['settings', key],
    servers: ['servers', server, 'settings', key],
    tags: ['servers', server, 'tags'],
    processes: ['processes', key, server],
  };
  return keys[section];
}

/** The path of an entry; with the name of a server, the path of an item. */
export function pathOf(place: Place): string {
  return keyPathOf(place).join('.');
}

export interface FileStack {
  /** As the file spells it. */
  readonly name: string;
  readonly line: number;
  /** The entries of the base and of its overlay, in the order of the file. */
  readonly entries: readonly StackEntry[];
}

/** A file after its overlays. */
export interface StackFile {
  readonly stacks: readonly FileStack[];
  /** Patterns of paths that are left alone. */
  readonly ignore: readonly string[];
  /** Sections in which everything that no entry names is reported. */
  readonly strict: readonly SectionName[];
}
