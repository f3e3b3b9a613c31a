import { type HandlersOf, refuse, stackOf } from '../context.ts';
import type { StackState, VariantRecord } from '../state.ts';
import { commitRollout, isRolloutVariant } from './deployment.ts';

export const variantHandlers: HandlersOf<'variants'> = {
  list: (context, { stack_id }) => stackOf(context, stack_id).variants,
  update: (context, { stack_id, id, operation, canary_percentage }) => {
    const stack = stackOf(context, stack_id);
    const variant = variantOf(stack, id);
    const type = variant.variant_type;
    if (!isRolloutVariant(variant)) refuse(400, `variant "${id}" is ${type}, not a rollout variant`);
    if (operation === 'commit') {
      if (canary_percentage !== undefined) refuse(400, 'canary_percentage is not allowed with the operation commit');
      commitRollout(stack, variant);
      return { ok: true, message: `Variant ${id} committed` };
    }
    if (type !== 'canary') refuse(400, `variant "${id}" is not a canary: its share of traffic cannot be set`);
    variant.percentage = canary_percentage ?? refuse(400, 'canary_percentage is missing');
    return { ok: true, message: `Variant ${id} receives ${canary_percentage}% of the traffic` };
  },
  delete: (context, { stack_id, id }) => {
    const stack = stackOf(context, stack_id);
    const variant = variantOf(stack, id);
    if (variant.variant_type !== 'preview') refuse(400, `variant "${id}" is ${variant.variant_type}, not a preview`);
    stack.variants = stack.variants.filter((other) => other !== variant);
    return { ok: true, message: `Variant ${id} deleted` };
  },
};

function variantOf({ variants }: StackState, uid: string): VariantRecord {
  if (!/^[\w-]{1,64}$/.test(uid)) refuse(400, `"${uid}" is not a valid variant UID`);
  return variants.find((other) => other.uid === uid) ?? refuse(404, `variant "${uid}" not found`);
}
