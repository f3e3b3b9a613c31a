/** The sections of a stack that a file can manage, in the order in which a plan shows them. */
export const sectionNames = ['env', 'settings', 'servers', 'tags', 'processes'] as const;
/** `servers` is the section for the settings of servers, `tags` the section for the tags of servers. */
export type SectionName = (typeof sectionNames)[number];

interface EntrySource {
  readonly file: string;
  readonly line: number;
  /** The stack whose overlay holds the entry; null for an entry of the base. */
  readonly stack: string | null;
}

/** `from` is the name of a local variable, a path below the folder of the file, or the argument of secret_command. */
export type Reference = { readonly kind: 'env' | 'file' | 'secret'; readonly from: string };

/** The right side of an entry, as the file spells it. */
export type Expression =
  | { readonly kind: 'literal'; readonly value: string }
  | Reference
  | { readonly kind: 'preserve' | 'absent' | 'unmanaged' }
  /** The tags are sorted and distinct. */
  | { readonly kind: 'tags'; readonly tags: readonly string[] }
  /** A range such as `2..4`. For a single number `least` and `most` are equal. */
  | { readonly kind: 'count'; readonly least: number; readonly most: number };

/** The right side of an entry that `pull` writes. */
export type NewExpression = Exclude<Expression, Reference>;

export function isReference(expression: Expression): expression is Reference {
  return 'from' in expression;
}

export interface StackEntry {
  readonly section: SectionName;
  /** One of `env.KEY`, `settings.KEY`, `servers.NAME.tags`, `servers.NAME.settings.KEY`, `processes.NAME.SERVER`. */
  readonly path: string;
  /** The name of the variable, the setting or the process; `tags` for tags. */
  readonly key: string;
  /** The server or `@role`, as the file spells it. */
  readonly server?: string | undefined;
  readonly expression: Expression;
  /** True if the value may be empty. */
  readonly allow_empty?: boolean;
  readonly source: EntrySource;
}

export type EntryIdentity = Pick<StackEntry, 'section' | 'key' | 'server'>;

/** Returns the keys that lead to an entry in its file, the top-level key first. */
export function keyPathOf({ section, key, server = '' }: EntryIdentity): readonly string[] {
  if (section === 'servers') return ['servers', server, 'settings', key];
  if (section === 'tags') return ['servers', server, 'tags'];
  return section === 'processes' ? ['processes', key, server] : [section, key];
}

/** Returns the path of an entry. An item has the same path, unless the entry is for a role. */
export function entryPathOf(identity: EntryIdentity): string {
  return keyPathOf(identity).join('.');
}

/** True for the path of the tags of a server or a role, such as `servers.web-1.tags`. */
export function isTagsPath(path: string): boolean {
  return /^servers\..*\.tags$/s.test(path);
}

export interface StackInFile {
  /** The name of the stack as the file spells it. */
  readonly name: string;
  readonly line: number;
  /** The entries of the base and of the overlay of this stack, in the order of the file. */
  readonly entries: readonly StackEntry[];
}

/** A parsed stack file. The overlays are already applied to the base. */
export interface StackFile {
  readonly stacks: readonly StackInFile[];
  /** Patterns of paths that are neither compared nor changed. */
  readonly ignore: readonly string[];
  /** Sections in which `drift` also reports items that no entry names. */
  readonly strict: readonly SectionName[];
}
