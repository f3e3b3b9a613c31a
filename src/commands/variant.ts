import { type Menu, script } from '../contract/command.ts';
import { group, nullable, oneOf, text, type ValueOf } from '../contract/field.ts';
import { type RecordOf, record } from '../contract/record.ts';
import { one } from '../contract/reply.ts';
import { Variant, type VariantRow, variantMenu, variants } from '../resources/variant.ts';
import { shortHash } from './deployment-words.ts';
import { describeVariant, findVariant, variantsNow } from './variant-find.ts';
import { weight } from './variant-weight.ts';

const active = nullable(
  group({ uid: text('UID of the active variant.'), git_hash: text('Its commit.') }, 'The active version.'),
);
type Active = ValueOf<typeof active>;

const Committing = record(
  'change',
  {
    uid: text('UID of the variant.'),
    change: oneOf(['committed'], 'What was done.'),
    before: active,
    after: active,
    message: nullable(text('What the service said.')),
  },
  ['uid', 'change'],
);
type Committing = RecordOf<typeof Committing>;

const Deletion = record(
  'change',
  {
    uid: text('UID of the variant.'),
    change: oneOf(['deleted'], 'What was done.'),
    before: group(Variant.fields, 'The variant before.'),
    after: nullable(group(Variant.fields, 'The variant, where it is still shown.')),
    message: nullable(text('What the service said.')),
  },
  ['uid', 'change'],
);
type Deletion = RecordOf<typeof Deletion>;

const { operation: _, canary_percentage: __, ...committed } = variants.update.params;

const commit = script({
  about: 'Make a rollout variant the active version.',
  params: committed,
  positionals: ['id'],
  examples: ['stackops variant commit va-canary -s shop'],
  calls: [variants.list, variants.update],
  reply: one(Committing),
  confirm: {
    level: 'yes',
    act: 'Commit variant',
    target: (context, place) => describeVariant(context, place, 'commit'),
  },
  run: async (context, { stack_id, id }): Promise<Committing> => {
    const { known } = await findVariant(context, { stack_id, id }, 'commit');
    const { message = null } = await context.call(variants.update, { stack_id, id, operation: 'commit' });
    const after = activeAmong((await variantsNow(context, stack_id)) ?? []);
    return { uid: id, change: 'committed', before: activeAmong(known), after, message };
  },
  present: ({ uid, before, after }) => ({
    kind: 'done',
    lines: [
      `Variant ${uid} was committed${after ? `: active ${shown(before)} -> ${shown(after)}` : ' and becomes the active version'}`,
    ],
  }),
});

const remove = script({
  about: variants.delete.about,
  params: variants.delete.params,
  positionals: ['id'],
  examples: ['stackops variant delete va-preview -s shop'],
  calls: [variants.list, variants.delete],
  reply: one(Deletion),
  confirm: {
    level: 'yes',
    act: 'Delete variant',
    target: (context, place) => describeVariant(context, place, 'delete'),
  },
  run: async (context, { stack_id, id }): Promise<Deletion> => {
    const { variant: before } = await findVariant(context, { stack_id, id }, 'delete');
    const { message = null } = await context.call(variants.delete, { stack_id, id });
    const after = (await variantsNow(context, stack_id))?.find(({ uid }) => uid === id) ?? null;
    if (after) context.warn(`the service still shows variant ${id}`);
    return { uid: id, change: 'deleted', before, after, message };
  },
  present: ({ uid, before }) => ({
    kind: 'done',
    lines: [`Variant ${uid} was deleted (${before.variant_type}, commit ${shortHash(before.git_hash)})`],
  }),
});

export const variantCommands: Menu = {
  ...variantMenu,
  'variant commit': commit,
  'variant weight': weight,
  'variant delete': remove,
};

function activeAmong(known: readonly VariantRow[]): Active {
  const found = known.find(({ variant_type }) => variant_type === 'active');
  return found ? { uid: found.uid, git_hash: found.git_hash } : null;
}

/** `va-canary, commit 9d4e1f7` */
function shown(version: Active): string {
  return version ? `${version.uid} (commit ${shortHash(version.git_hash)})` : 'none';
}
