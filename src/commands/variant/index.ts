import { act, remove } from '../../builders/act.ts';
import { call } from '../../builders/call.ts';
import { change } from '../../builders/change.ts';
import { verbs } from '../../builders/execute/summary.ts';
import type { Menu } from '../../contract/command.ts';
import { group, text } from '../../contract/field.ts';
import type { RecordType, Row } from '../../contract/record.ts';
import { originalOf, withOriginal } from '../../contract/values/json.ts';
import { shortHash } from '../../contract/values/text.ts';
import {
  isActiveVariant,
  isKnownRollout,
  trafficShareText,
  type VariantRow,
  variant,
  variantKind,
  variants,
  variantTypeText,
} from '../../resources/variant.ts';

const { canary_percentage } = variants.update.params;

export const variantCommands: Menu = {
  'variant list': call(variants.list, {
    examples: ['stackops variant list -s shop'],
    present: (rows) => ({ kind: 'table', record: variants.list.reply.record as RecordType, rows: rows.map(withKind) }),
  }),
  'variant commit': act(variant, variants.update, {
    about: 'Make a rollout variant the active version.',
    verb: verbs.commit,
    request: { operation: 'commit', canary_percentage: undefined },
    examples: ['stackops variant commit va-canary -s shop'],
    confirm: {
      level: 'yes',
      text: ({ uid }, stack) => `Make ${uid} the active version of ${stack}`,
      details: (row, rows) => [
        ...shareAndCommit(row),
        ...rows.filter(isActiveVariant).map(({ git_hash }) => `replaces commit ${shortHash(git_hash)}`),
      ],
      warning: 'This is final.',
    },
    refusal: (row) => (isKnownRollout(row) ? undefined : `${variantTypeText(row)}, not a rollout`),
    recordedValue: {
      field: group({ uid: text('UID of the active variant.'), git_hash: text('Its commit.') }, 'The active version.'),
      valueIn: (rows) => rows.filter(isActiveVariant).map(({ uid, git_hash }) => ({ uid, git_hash }))[0] ?? null,
      text: (version) => {
        const activeVariant = version as VariantRow | null;
        return activeVariant ? `${activeVariant.uid}, commit ${shortHash(activeVariant.git_hash)}` : 'none';
      },
    },
  }),
  'variant weight': change(variant, variants.update, {
    about: "Set a canary's share of traffic.",
    kind: 'share',
    params: { canary_percentage: { ...canary_percentage, presence: 'required' } },
    examples: ['stackops variant weight va-canary 25 -s shop', 'stackops variant weight 0% -s shop'],
    impliedRow: 'canary',
    refusal: (row) =>
      isKnownRollout(row) && variantKind(row) !== 'blue_green' ? undefined : `${variantTypeText(row)}, not a canary`,
    confirm: { level: 'yes', act: 'Set the traffic of variant', when: 'before a share of 100' },
    ask: ({ canary_percentage: share }, row, stack) => {
      if (share !== 100) return undefined;
      const makeText = async () => `Send ${share} % of ${await stack()}'s traffic to ${row.uid}`;
      return { text: makeText, details: () => shareAndCommit(row) };
    },
    request: { operation: 'percentage' },
    predictFields: ({ canary_percentage: percentage }: { readonly canary_percentage: number }) => ({ percentage }),
    unit: ' %',
  }),
  'variant delete': remove(variant, variants.delete, {
    examples: ['stackops variant delete va-preview -s shop'],
    confirm: { level: 'yes' },
    readsBack: true,
    refusal: (row) => (variantKind(row) === 'preview' ? undefined : `${variantTypeText(row)}, not a preview`),
  }),
};

function withKind(row: VariantRow): Row {
  const kind = variantKind(row);
  return kind === row.variant_type ? row : withOriginal({ ...row, variant_type: kind }, originalOf(row));
}

function shareAndCommit(row: VariantRow): readonly string[] {
  return [`now ${trafficShareText(row)}`, `commit ${shortHash(row.git_hash)}`];
}
