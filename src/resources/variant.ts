import { instant, integer, nullable, oneOf, optional, text } from '../contract/field.ts';
import { operation } from '../contract/operation.ts';
import { type RecordOf, record } from '../contract/record.ts';
import { acknowledgedReply, rows } from '../contract/reply.ts';
import { resource } from '../contract/resource.ts';
import { shortHash } from '../contract/values/text.ts';

export const Variant = record(
  'variant',
  {
    uid: text('UID of the variant.'),
    variant_type: nullable(
      text('Type of variant.', {
        choices: ['active', 'canary', 'blue_green', 'preview'],
        open: true,
        label: 'type',
        aliases: ['type'],
      }),
    ),
    sub_type: optional(nullable(text('Type of rollout, where the service sends it.', { label: 'subtype' }))),
    percentage: integer('Share of traffic.', {
      range: [0, 100],
      unit: 'percent',
      aliases: ['traffic_percentage'],
      label: 'traffic',
    }),
    git_hash: nullable(text('Commit of the build.', { label: 'commit', isCommit: true })),
    created_at: instant('Build time.', { aliases: ['created_at_iso'] }),
    id: integer('ID of the variant.'),
  },
  ['variant_type', 'percentage', 'git_hash', 'created_at', 'uid'],
);

export type VariantRow = RecordOf<typeof Variant>;

/** Returns the type of a variant, such as `canary` or `preview`; undefined if the service sends no type. */
export function variantKind(row: Pick<VariantRow, 'variant_type' | 'sub_type'>): string | undefined {
  const type = row.variant_type?.toLowerCase();
  return (type === 'rollout' && row.sub_type?.toLowerCase()) || type || undefined;
}

export function isActiveVariant(row: VariantRow): boolean {
  return variantKind(row) === 'active';
}

export function isKnownRollout(row: VariantRow): boolean {
  const type = variantKind(row);
  // A variant without a type may be the active version or a preview, so it does not count as a rollout.
  return type !== undefined && type !== 'active' && type !== 'preview';
}

/** Returns the type of a variant for a sentence: `a canary`, `the active version`, `of unknown type`. */
export function variantTypeText(row: VariantRow): string {
  const type = variantKind(row);
  if (type === undefined) return 'of unknown type';
  if (type === 'active') return 'the active version';
  return type === 'blue_green' ? 'a blue-green rollout' : `a ${type}`;
}

/** Returns the share of traffic as text, such as `10 %`; `? %` if it is unknown. */
export function trafficShareText({ percentage }: Pick<VariantRow, 'percentage'>): string {
  return `${percentage ?? '?'} %`;
}

const notFoundHints = { listCommand: 'variant list', missing: 'variant {id}' };

export const variants = {
  list: operation('GET /stacks/:stack_id/application_variants', {
    scope: 'redeploy',
    reply: rows(Variant),
    undocumented: 'The blue-green value. All but `active` and `preview` are rollouts.',
  }),
  update: operation('PUT /stacks/:stack_id/application_variants/:id', {
    scope: 'redeploy',
    about: 'Commit a rollout variant or change its share of traffic.',
    params: {
      id: text('UID of the variant, or its type when it is the only one.', { label: 'variant', nameKind: 'variant' }),
      operation: oneOf(['commit', 'percentage'], 'Operation.'),
      canary_percentage: optional(
        integer('New share of traffic, `25` or `25%`.', { range: [0, 100], unit: 'percent', label: 'percent' }),
      ),
    },
    reply: acknowledgedReply,
    ...notFoundHints,
  }),
  delete: operation('DELETE /stacks/:stack_id/application_variants/:id', {
    scope: 'redeploy',
    about: 'Delete a preview variant and its resources.',
    params: {
      id: text('UID of the preview variant, or `preview` when it is the only one.', {
        label: 'variant',
        nameKind: 'variant',
      }),
    },
    reply: acknowledgedReply,
    ...notFoundHints,
  }),
};

export const variant = resource({
  list: variants.list,
  argument: 'id',
  about: 'UID of the variant, or its type when it is the only one.',
  summary: (row) => [
    variantKind(row) ?? 'unknown type',
    `${trafficShareText(row)} of traffic`,
    `commit ${shortHash(row.git_hash)}`,
  ],
  findByAlias: (argument, rows) => {
    const type = argument.replace('-', '_').toLowerCase();
    return rows.filter((row) => variantKind(row) === type || row.variant_type?.toLowerCase() === type);
  },
});
