/** The help pages that belong to no command, with their descriptions. The key is the argument of `help`. */
export const topicNames = {
  options: 'Every flag that commands share.',
  output: 'Tables, JSON and the other formats.',
  'exit-codes': 'What each exit code means.',
  environment: 'Environment variables that are read.',
  auth: 'Tokens, signing in and scopes.',
  confirmation: 'Changes that ask first, and how to confirm them.',
  files: 'Files that are read and written.',
  agents: 'All that an agent needs to begin.',
} as const;
export type TopicName = keyof typeof topicNames;

export function isTopicName(name: string): name is TopicName {
  return Object.hasOwn(topicNames, name);
}

/** Part of a topic: one or more sentences, rows of names with their meanings, or lines to type. */
export type TopicBlock =
  | string
  | { readonly title?: string; readonly rows: readonly (readonly [string, string])[] }
  | { readonly examples: readonly string[] };

export interface Topic {
  readonly title: string;
  readonly blocks: readonly TopicBlock[];
}
