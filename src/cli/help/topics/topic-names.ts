/** Pages that belong to no command, by the argument of `help`; `topics.ts` writes them. */
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
