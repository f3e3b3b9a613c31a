import { answeredOptions } from '../../arguments/options.ts';
import { optionGroups, optionsIn } from '../option-groups.ts';
import type { Topic, TopicBlock } from './topic.ts';

/** `help options`: the flags that commands share, each with what it does. */
export function optionsTopic(): Topic {
  return {
    title: 'Flags that commands share',
    blocks: [
      {
        kind: 'text',
        text: 'A shared flag may stand before or after the command. The help of a command lists the ones it takes.',
      },
      ...optionGroups.map(
        (group): TopicBlock => ({
          kind: 'rows',
          title: group.title,
          rows: optionsIn(group).map(({ flags, about }) => [flags, about]),
        }),
      ),
      { kind: 'rows', title: 'Help and version', rows: answeredOptions.map(({ flags, about }) => [flags, about]) },
      {
        kind: 'text',
        text: 'A duration is a number with a unit, such as 90s, 5m or 2h. Many flags also have an environment variable: see stackops help environment.',
      },
      {
        kind: 'examples',
        lines: [
          'stackops variant list -s shop --json --fields uid,variant_type',
          'stackops stack env set LOG_LEVEL=debug -s shop --dry-run',
        ],
      },
    ],
  };
}
