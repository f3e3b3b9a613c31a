export type TopicBlock =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'rows'; readonly title?: string; readonly rows: readonly (readonly [string, string])[] }
  | { readonly kind: 'examples'; readonly lines: readonly string[] };

/** What a page says, whether `help` or `man` shows it. */
export interface Topic {
  readonly title: string;
  readonly blocks: readonly TopicBlock[];
}
