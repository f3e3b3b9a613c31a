import type { CommandDescription } from '../../../contract/description.ts';
import type { Topic } from './topic.ts';

/** The commands that ask at a level, and when they do. */
export function asking(
  commands: readonly CommandDescription[],
  level: CommandDescription['confirmation'],
): readonly (readonly [words: string, when: string])[] {
  return commands
    .filter(({ confirmation }) => confirmation === level)
    .map(({ name, confirmation_when }) => [name, confirmation_when ?? 'always']);
}

/** `help confirmation`: which changes ask first. */
export function confirmationTopic(commands: readonly CommandDescription[]): Topic {
  return {
    title: 'Confirmation',
    blocks: [
      {
        kind: 'text',
        text: 'Some changes ask for confirmation. They do not ask if nothing would change, or with --dry-run or --curl. Without a terminal the command exits with 2 and prints itself with the missing flag.',
      },
      { kind: 'rows', title: 'Yes or no: -y confirms', rows: asking(commands, 'yes') },
      { kind: 'rows', title: 'Typed name: --confirm NAME confirms, -y does not', rows: asking(commands, 'typed') },
      {
        kind: 'text',
        text: 'All other changes do not ask. With protected=true in the profile, every change asks for a typed name. With approve_command=PROGRAM, that program is then handed all requests of the change as JSON on stdin, masked as with --dry-run. Exit code 0 sends them; anything else is exit code 5, also no answer within 2 minutes. Each profile has its own, and --sandbox is a profile, too.',
      },
      {
        kind: 'examples',
        lines: [
          'stackops stack env unset LOG_LEVEL -s shop -y',
          'stackops gateway delete bastion-1 --confirm bastion-1',
          'stackops profile set approve_command=ask-in-chat',
        ],
      },
    ],
  };
}
