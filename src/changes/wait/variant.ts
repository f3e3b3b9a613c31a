import type { Observer } from '../../contract/observe.ts';
import type { InputOf } from '../../contract/operation.ts';
import type { Acknowledgement } from '../../contract/reply.ts';
import { variants } from '../../resources/variant.ts';
import { settled } from './settled.ts';

/** A share shows in the list; that a commit was taken is shown by nothing that others could not have caused. */
export const updateVariantObserver: Observer<InputOf<typeof variants.update>, undefined, Acknowledgement> = {
  canShow: ({ operation }) => operation === 'percentage',
  look: async (read, { stack_id, id, canary_percentage }) => {
    const found = (await read(variants.list, { stack_id })).find(({ uid }) => uid === id);
    return found?.percentage === canary_percentage ? settled : undefined;
  },
};

export const deleteVariantObserver: Observer<InputOf<typeof variants.delete>, undefined, Acknowledgement> = {
  look: async (read, { stack_id, id }) =>
    (await read(variants.list, { stack_id })).some(({ uid }) => uid === id) ? undefined : settled,
};
