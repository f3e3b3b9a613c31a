import type { Menu } from '../../contract/command.ts';
import { many, optional, text } from '../../contract/field.ts';
import type { Question } from '../../contract/plan.ts';
import { CliError } from '../../errors/cli-error.ts';
import { tags } from '../../resources/tag.ts';
import {
  createPatchStrategy,
  createReplaceStrategy,
  createTagCommand,
  missingFrom,
  type Tagging,
  tagsText,
} from './change.ts';
import { tagListCommand } from './list.ts';

const tagField = text('Tag.');
const knownTagField = text('Tag.', { nameKind: 'tag' });
const reservedLossConfirm = {
  confirm: { level: 'yes', act: 'Remove reserved tags of', when: 'before removing a reserved tag' },
  ask: reservedQuestion,
} as const;

export const tagCommands: Menu = {
  'tags list': tagListCommand,
  'tags set': createTagCommand({
    about: 'Replace the tags of servers and load balancers.',
    params: { tags: many(knownTagField, 'The tags to set, separated by blanks.', { label: 'TAG' }) },
    positionals: ['tags'],
    examples: [
      'stackops tags set server/c1a7d3e95b2f4860a1b2c3d4e5f60718 web eu',
      'stackops tags set server/shop-web-1 web eu -s shop',
    ],
    operation: tags.replace,
    ...reservedLossConfirm,
    strategyFor: ({ tags: requested, include_reserved }) => createReplaceStrategy(requested, include_reserved),
  }),
  'tags patch': createTagCommand({
    about: 'Delete tags, then add tags.',
    params: {
      add: optional(many(tagField, 'Tags to add, separated by commas.', { placeholder: 'tags' })),
      delete: optional(many(knownTagField, 'Tags to delete, separated by commas.', { placeholder: 'tags' })),
    },
    examples: ['stackops tags patch server/c1a7d3e95b2f4860a1b2c3d4e5f60718 --add eu,web --delete old'],
    ...reservedLossConfirm,
    strategyFor: (patch) => {
      if (patch.add?.length || patch.delete?.length) return createPatchStrategy(patch);
      throw new CliError('usage', 'nothing to change: give --add, --delete or both');
    },
  }),
  'tags add': createTagCommand({
    about: 'Add tags to servers and load balancers.',
    params: { tags: many(tagField, 'Tags to add, separated by blanks.', { label: 'TAG' }) },
    positionals: ['tags'],
    examples: ['stackops tags add server/c1a7d3e95b2f4860a1b2c3d4e5f60718 eu web'],
    strategyFor: ({ tags: add, include_reserved }) => createPatchStrategy({ add: checkedTags(add), include_reserved }),
  }),
  'tags remove': createTagCommand({
    about: 'Remove tags from servers and load balancers.',
    params: { tags: many(knownTagField, 'Tags to remove, separated by blanks.', { label: 'TAG' }) },
    positionals: ['tags'],
    examples: ['stackops tags remove server/c1a7d3e95b2f4860a1b2c3d4e5f60718 old'],
    ...reservedLossConfirm,
    strategyFor: ({ tags: words, include_reserved }) =>
      createPatchStrategy({ delete: checkedTags(words), include_reserved }),
  }),
  'tags clear': createTagCommand({
    about: 'Remove all tags of servers and load balancers.',
    params: {},
    examples: ['stackops tags clear loadbalancer/3301 --confirm loadbalancer/3301'],
    operation: tags.clear,
    confirm: { level: 'typed', act: 'Remove all tags of' },
    ask: clearQuestion,
    strategyFor: ({ include_reserved }) => createReplaceStrategy([], include_reserved),
  }),
};

function checkedTags(words: readonly string[]): readonly string[] {
  // Several entities are one argument with commas. A second argument is a tag, so an entity there is a mistake.
  const entity = words.find((one) => /^(?:server|loadbalancer)\//.test(one));
  if (entity === undefined) return words;
  throw new CliError('usage', `"${entity}" is not a tag: separate several servers and load balancers with commas`);
}

function reservedQuestion(taggings: readonly Tagging[]): Question | undefined {
  const losses = taggings.map(({ name, reserved, after }) => ({ name, lost: missingFrom(after, reserved) }));
  const taggingsWithLoss = losses.filter(({ lost }) => lost.length > 0);
  if (taggingsWithLoss.length === 0) return undefined;
  return {
    name: taggingsWithLoss.map(({ name }) => name).join(','),
    details: () => taggingsWithLoss.map(({ lost }) => `${lost.join(', ')}; no undo`),
  };
}

function clearQuestion(taggings: readonly Tagging[]): Question {
  return {
    name: taggings.map(({ name }) => name).join(','),
    details: () =>
      taggings.map(({ name, before, after }) => {
        const removedText = tagsText(missingFrom(after, before));
        return taggings.length === 1 ? removedText : `${name}: ${removedText}`;
      }),
  };
}
