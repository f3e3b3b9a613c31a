import type { Context, Target } from '../../contract/command.ts';
import { readBack } from '../../kinds/read-back.ts';
import { Problem } from '../../problems/problem.ts';
import { describeStack } from '../../resources/stack.ts';
import { kindOf, type VariantRow, variants } from '../../resources/variant.ts';
import { shortHash } from '../deployment/words.ts';

export interface VariantPlace {
  readonly stack_id: string;
  /** UID of the variant, or its type. */
  readonly id: string;
}

/** What can be done to a variant, and of which type it must be. */
export type Deed = 'weight' | 'commit' | 'delete';

export interface FoundVariant {
  readonly variant: VariantRow;
  readonly known: readonly VariantRow[];
}

/** The variant among all of its stack; throws not_found, ambiguous, or rejected for one of the wrong type. */
export async function findVariant(context: Context, { stack_id, id }: VariantPlace, deed: Deed): Promise<FoundVariant> {
  const known = await context.call(variants.list, { stack_id });
  const variant = known.find(({ uid }) => uid === id) ?? onlyOfType(known, id);
  if (!variant) return context.missing(`variant "${id}"`, { path: 'variant list', stack_id });
  const reason = obstacle(kindOf(variant), deed);
  if (reason === undefined) return { variant, known };
  throw new Problem('rejected', `variant "${variant.uid}" is ${reason}; nothing was sent`, {
    hint: { path: 'variant list', stack_id },
  });
}

/** `canary`, `blue-green`: the variant of that type, when there is one. */
function onlyOfType(known: readonly VariantRow[], typed: string): VariantRow | undefined {
  const type = typed.replace('-', '_');
  const found = known.filter((variant) => kindOf(variant) === type || variant.variant_type === type);
  if (found.length < 2) return found[0];
  const uids = found.map(({ uid }) => uid).join(', ');
  throw new Problem('ambiguous', `${found.length} variants are of the type "${typed}": ${uids}`);
}

/** Only types that are known are judged here; what else there may be is for the service to refuse. */
function obstacle(type: string | undefined, deed: Deed): string | undefined {
  if (type === undefined) return undefined;
  if (deed === 'delete') return type === 'preview' ? undefined : `${named(type)}, and only previews are deleted`;
  if (deed === 'weight' && type === 'blue_green') return 'a blue-green rollout, and only a canary has a share to set';
  if (type !== 'active' && type !== 'preview') return undefined;
  return deed === 'weight'
    ? `${named(type)}, and only a canary has a share to set`
    : `${named(type)}, and only a rollout is committed`;
}

function named(type: string): string {
  if (type === 'active') return 'the active version';
  if (type === 'blue_green') return 'a blue-green rollout';
  return `a ${type}`;
}

/** The variants after a change; undefined where they cannot be read. */
export function variantsNow(context: Context, stack_id: string): Promise<readonly VariantRow[] | undefined> {
  return readBack(context, () => context.call(variants.list, { stack_id }));
}

/** What a question says of a variant. */
export async function describeVariant(context: Context, place: VariantPlace, deed: Deed): Promise<Target> {
  const { variant, known } = await findVariant(context, place, deed);
  const active = known.find(({ variant_type }) => variant_type === 'active');
  const facts = await factsOf(context, place.stack_id, variant);
  if (deed !== 'commit') return { name: variant.uid, facts };
  const replaced = active ? [`in place of ${active.uid}, commit ${shortHash(active.git_hash)}`] : [];
  return { name: variant.uid, facts: [...facts, ...replaced, 'this is final'] };
}

/** What a question says before a canary gets no traffic at all or all of it; undefined where nothing is to be asked. */
export async function describeExtreme(
  context: Context,
  place: VariantPlace,
  wanted: number,
): Promise<Target | undefined> {
  if (wanted !== 0 && wanted !== 100) return undefined;
  const { variant } = await findVariant(context, place, 'weight');
  if (variant.percentage === wanted) return undefined;
  return {
    name: variant.uid,
    facts: [...(await factsOf(context, place.stack_id, variant)), `from now on ${wanted} %`],
  };
}

async function factsOf(context: Context, stack_id: string, variant: VariantRow): Promise<readonly string[]> {
  return [
    `of ${await describeStack(context, stack_id)}`,
    kindOf(variant) ?? 'of no known type',
    `${variant.percentage} % of traffic`,
    `commit ${shortHash(variant.git_hash)}`,
  ];
}
