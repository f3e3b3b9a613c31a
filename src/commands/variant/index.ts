import { type Menu, script } from '../../contract/command.ts';
import { group, nullable, oneOf, text, type ValueOf } from '../../contract/field.ts';
import { type RecordOf, record } from '../../contract/record.ts';
import { one } from '../../contract/reply.ts';
import { actionWords } from '../../resources/action.ts';
import { kindOf, Variant, type VariantRow, variantMenu, variants } from '../../resources/variant.ts';
import { shortHash } from '../deployment/words.ts';
import { itsAction, makeChange } from '../queued-change.ts';
import { describeVariant, findVariant, variantsNow } from './find.ts';
import { weight } from './weight.ts';

const active = nullable(
  group({ uid: text('UID of the active variant.'), git_hash: text('Its commit.') }, 'The active version.'),
);
type Active = ValueOf<typeof active>;

const Committing = record(
  'change',
  {
    uid: text('UID of the variant.'),
    change: oneOf(['committed', 'queued', 'failed'], 'What was done.'),
    before: active,
    after: active,
    action: itsAction,
    message: nullable(text('What the service said.')),
  },
  ['uid', 'change'],
);
type Committing = RecordOf<typeof Committing>;

const Deletion = record(
  'change',
  {
    uid: text('UID of the variant.'),
    change: oneOf(['deleted', 'queued', 'failed'], 'What was done.'),
    before: group(Variant.fields, 'The variant before.'),
    after: nullable(group(Variant.fields, 'The variant, where it is still shown.')),
    action: itsAction,
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
  run: async (context, place): Promise<Committing> => {
    const { stack_id } = place;
    const { variant, known } = await findVariant(context, place, 'commit');
    const { uid: id } = variant;
    const before = activeAmong(known);
    return makeChange(context.call(variants.update, { stack_id, id, operation: 'commit' }), async (made) => {
      if (made.change !== 'done') {
        return { uid: id, change: made.change, before, after: before, action: made.action, message: null };
      }
      const after = activeAmong((await variantsNow(context, stack_id)) ?? []);
      return { uid: id, change: 'committed', before, after, message: made.reply.message ?? null };
    });
  },
  present: ({ uid, before, after, action }) => {
    if (action) return { kind: 'done', lines: [`Commit of variant ${uid}: ${actionWords(action)}`] };
    const now = after ? `: active ${shown(before)} -> ${shown(after)}` : ' and becomes the active version';
    return { kind: 'done', lines: [`Variant ${uid} was committed${now}`] };
  },
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
  run: async (context, place): Promise<Deletion> => {
    const { stack_id } = place;
    const { variant: before } = await findVariant(context, place, 'delete');
    const { uid: id } = before;
    return makeChange(context.call(variants.delete, { stack_id, id }), async (made) => {
      if (made.change !== 'done') {
        return { uid: id, change: made.change, before, after: before, action: made.action, message: null };
      }
      const after = (await variantsNow(context, stack_id))?.find(({ uid }) => uid === id) ?? null;
      if (after) context.warn(`the service still shows variant ${id}`);
      return { uid: id, change: 'deleted', before, after, message: made.reply.message ?? null };
    });
  },
  present: ({ uid, before, action }) => {
    const what = `(${kindOf(before) ?? 'no known type'}, commit ${shortHash(before.git_hash)})`;
    if (action) return { kind: 'done', lines: [`Deletion of variant ${uid} ${what}: ${actionWords(action)}`] };
    return { kind: 'done', lines: [`Variant ${uid} was deleted ${what}`] };
  },
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
