import { type Context, call, type Menu, type Target } from '../contract/command.ts';
import { instant, integer, oneOf, optional, text } from '../contract/field.ts';
import { operation } from '../contract/operation.ts';
import { type RecordOf, record } from '../contract/record.ts';
import { acknowledged, rows } from '../contract/reply.ts';
import { inStack } from './shared.ts';
import { describeStack } from './stack.ts';

export const Variant = record(
  'variant',
  {
    uid: text('UID of the variant.'),
    variant_type: text('What the variant is for.', {
      choices: ['active', 'canary', 'blue_green', 'preview'],
      open: true,
      aka: ['type'],
    }),
    percentage: integer('Share of traffic.', { range: [0, 100], unit: 'percent', aka: ['traffic_percentage'] }),
    git_hash: text('Commit the variant was built from.'),
    created_at: instant('When it was built.', { aka: ['created_at_iso'] }),
    id: integer('Id of the variant.'),
  },
  ['uid', 'variant_type', 'percentage', 'git_hash', 'created_at'],
);

export const variants = {
  list: operation({
    method: 'GET',
    path: '/stacks/:stack_id/application_variants',
    scope: 'redeploy',
    about: 'List the variants of a stack.',
    params: { stack_id: inStack },
    reply: rows(Variant),
    undocumented: 'The wire value of the blue-green type; anything but `active` and `preview` counts as a rollout.',
  }),
  update: operation({
    method: 'PUT',
    path: '/stacks/:stack_id/application_variants/:id',
    scope: 'redeploy',
    about: 'Commit a rollout variant or change its share of traffic.',
    params: {
      stack_id: inStack,
      id: text('UID of the variant.', { label: 'variant' }),
      operation: oneOf(['commit', 'percentage'], 'What to do.'),
      canary_percentage: optional(
        integer('New share of traffic, `25` or `25%`.', { range: [0, 100], unit: 'percent', label: 'percent' }),
      ),
    },
    reply: acknowledged,
    check: 'variant list -s {stack_id}',
    lister: 'variant list -s {stack_id}',
  }),
  delete: operation({
    method: 'DELETE',
    path: '/stacks/:stack_id/application_variants/:id',
    scope: 'redeploy',
    about: 'Delete a preview variant and what belongs to it.',
    params: { stack_id: inStack, id: text('UID of the preview variant.', { label: 'variant' }) },
    reply: acknowledged,
    check: 'variant list -s {stack_id}',
    lister: 'variant list -s {stack_id}',
  }),
};

export const variantMenu = {
  'variant list': call(variants.list, { examples: ['stackops variant list -s shop'] }),
  'variant commit': call(variants.update, {
    about: 'Make a rollout variant the active version.',
    fixed: { operation: 'commit' },
    positionals: ['id'],
    confirm: { level: 'yes', act: 'Commit variant', target: describeVariant },
    examples: ['stackops variant commit va-canary -s shop'],
    present: (_, { id }) => ({ kind: 'done', lines: [`Variant ${id} was committed and becomes the active version.`] }),
  }),
  'variant weight': call(variants.update, {
    about: 'Give a canary a share of the traffic.',
    fixed: { operation: 'percentage' },
    positionals: ['id', 'canary_percentage'],
    required: ['canary_percentage'],
    examples: ['stackops variant weight va-canary 25 -s shop', 'stackops variant weight va-canary 0% -s shop'],
    present: (_, { id, canary_percentage }) => ({
      kind: 'done',
      lines: [`Variant ${id} now receives ${canary_percentage} % of the traffic.`],
    }),
  }),
  'variant delete': call(variants.delete, {
    confirm: { level: 'yes', act: 'Delete variant', target: describeVariant },
    examples: ['stackops variant delete va-preview -s shop'],
    present: (_, { id }) => ({ kind: 'done', lines: [`Variant ${id} was deleted.`] }),
  }),
} satisfies Menu;

async function describeVariant(
  context: Context,
  { stack_id, id }: { readonly stack_id: string; readonly id: string },
): Promise<Target> {
  const found: readonly RecordOf<typeof Variant>[] = await context.call(variants.list, { stack_id });
  const variant = found.find(({ uid }) => uid === id);
  if (!variant) return context.missing(`variant "${id}"`, `stackops variant list -s ${stack_id}`);
  return {
    name: id,
    facts: [
      `of ${await describeStack(context, stack_id)}`,
      variant.variant_type,
      `${variant.percentage} % of traffic`,
      `commit ${variant.git_hash}`,
    ],
  };
}
