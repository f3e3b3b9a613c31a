import type { Menu } from '../../contract/command.ts';
import { group, text } from '../../contract/field.ts';
import { shortHash } from '../../contract/values/git-hash.ts';
import { act, remove } from '../../kinds/act.ts';
import { call } from '../../kinds/call.ts';
import { change } from '../../kinds/change.ts';
import { verbs } from '../../kinds/perform/summary.ts';
import { kindOf, type VariantRow, variant, variants } from '../../resources/variant.ts';

const { canary_percentage } = variants.update.params;

export const variantCommands: Menu = {
  'variant list': call(variants.list, { examples: ['stackops variant list -s shop'] }),
  'variant commit': act(variant, variants.update, {
    about: 'Make a rollout variant the active version.',
    verb: verbs.commit,
    request: { operation: 'commit', canary_percentage: undefined },
    examples: ['stackops variant commit va-canary -s shop'],
    confirm: {
      level: 'yes',
      text: ({ uid }, stack) => `Make ${uid} the active version of ${stack}`,
      facts: (row, rows) => [
        ...shareAndCommit(row),
        ...rows.filter(isActive).map(({ git_hash }) => `replaces commit ${shortHash(git_hash)}`),
      ],
      warning: 'This is final.',
    },
    refuse: (row) => (isFixed(row) ? `${typeText(row)}, not a rollout` : undefined),
    shows: {
      field: group({ uid: text('UID of the active variant.'), git_hash: text('Its commit.') }, 'The active version.'),
      of: (rows) => rows.filter(isActive).map(({ uid, git_hash }) => ({ uid, git_hash }))[0] ?? null,
      text: (version) => versionText(version as VariantRow | null),
    },
  }),
  'variant weight': change(variant, variants.update, {
    about: "Set a canary's share of traffic.",
    params: { canary_percentage: { ...canary_percentage, presence: 'required' } },
    examples: ['stackops variant weight va-canary 25 -s shop', 'stackops variant weight va-canary 0% -s shop -y'],
    refuse: (row) => (isFixed(row) || kindOf(row) === 'blue_green' ? `${typeText(row)}, not a canary` : undefined),
    confirm: {
      level: 'yes',
      act: 'Set the traffic of variant',
      when: 'before a share of 0 or 100',
      question: ({ canary_percentage: share }, row) =>
        share === 0 || share === 100
          ? {
              text: (stack) => `Send ${share} % of ${stack}'s traffic to ${row.uid}`,
              facts: shareAndCommit(row),
            }
          : undefined,
    },
    request: { operation: 'percentage' },
    shows: ({ canary_percentage: percentage }: Weight) => ({ percentage }),
    unit: ' %',
  }),
  'variant delete': remove(variant, variants.delete, {
    examples: ['stackops variant delete va-preview -s shop'],
    confirm: { level: 'yes' },
    readsBack: true,
    refuse: (row) => ((kindOf(row) ?? 'preview') === 'preview' ? undefined : `${typeText(row)}, not a preview`),
  }),
};

interface Weight {
  readonly canary_percentage: number;
  readonly [field: string]: unknown;
}

function isActive({ variant_type }: VariantRow): boolean {
  return variant_type === 'active';
}

/** Only known types are refused here; the service decides about others. */
function isFixed(row: VariantRow): boolean {
  return ['active', 'preview'].includes(kindOf(row) ?? '');
}

function typeText(row: VariantRow): string {
  const type = kindOf(row);
  if (type === 'active') return 'the active version';
  return type === 'blue_green' ? 'a blue-green rollout' : `a ${type}`;
}

/** `now 10 %, commit 9d4e1f7` */
function shareAndCommit({ percentage, git_hash }: VariantRow): readonly string[] {
  return [`now ${percentage} %`, `commit ${shortHash(git_hash)}`];
}

/** `va-canary, commit 9d4e1f7` */
function versionText(version: VariantRow | null): string {
  return version ? `${version.uid}, commit ${shortHash(version.git_hash)}` : 'none';
}
