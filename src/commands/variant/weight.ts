import { script } from '../../contract/command.ts';
import { integer, nullable, oneOf, text } from '../../contract/field.ts';
import { type RecordOf, record } from '../../contract/record.ts';
import { one } from '../../contract/reply.ts';
import { actionWords } from '../../resources/action.ts';
import { variants } from '../../resources/variant.ts';
import { itsAction, makeChange } from '../queued-change.ts';
import { describeExtreme, findVariant, variantsNow } from './find.ts';

const Weighing = record(
  'change',
  {
    uid: text('UID of the variant.'),
    change: oneOf(['updated', 'unchanged', 'queued', 'failed'], 'What was done.'),
    before: integer('Its share of traffic before.', { unit: 'percent' }),
    after: integer('Its share of traffic now.', { unit: 'percent' }),
    action: itsAction,
    message: nullable(text('What the service said.')),
  },
  ['uid', 'change', 'before', 'after'],
);
type Weighing = RecordOf<typeof Weighing>;

const { operation: _, ...params } = variants.update.params;

export const weight = script({
  about: 'Give a canary a share of the traffic; nothing is sent when it has it already.',
  params: { ...params, canary_percentage: { ...params.canary_percentage, presence: 'required' } },
  positionals: ['id', 'canary_percentage'],
  examples: ['stackops variant weight va-canary 25 -s shop', 'stackops variant weight va-canary 0% -s shop -y'],
  calls: [variants.list, variants.update],
  reply: one(Weighing),
  confirm: {
    level: 'yes',
    act: 'Weigh variant',
    when: 'before a share of 0 or 100',
    target: (context, { canary_percentage, ...place }) => describeExtreme(context, place, canary_percentage),
  },
  run: async (context, { canary_percentage: wanted, ...place }): Promise<Weighing> => {
    const { stack_id } = place;
    const { uid: id, percentage: before } = (await findVariant(context, place, 'weight')).variant;
    if (before === wanted) return { uid: id, change: 'unchanged', before, after: before, message: null };
    const request = { stack_id, id, operation: 'percentage', canary_percentage: wanted } as const;
    return makeChange(context.call(variants.update, request), async (made) => {
      if (made.change !== 'done') {
        return { uid: id, change: made.change, before, after: wanted, action: made.action, message: null };
      }
      const shown = (await variantsNow(context, stack_id))?.find(({ uid }) => uid === id)?.percentage;
      if (shown !== undefined && shown !== wanted)
        context.warn(`${wanted} % was asked for, and the service shows ${shown} %`);
      return { uid: id, change: 'updated', before, after: shown ?? wanted, message: made.reply.message ?? null };
    });
  },
  present: ({ uid, change, before, after, action }, { stack_id }) => {
    if (change === 'unchanged') return { kind: 'done', lines: [`${uid} unchanged (${before} %)`] };
    const line = `${uid} ${before} % -> ${after} %`;
    if (action) return { kind: 'done', lines: [`${line}: ${actionWords(action)}`] };
    return {
      kind: 'done',
      lines: [line],
      undo: [{ path: 'variant weight', operands: [uid, String(before)], stack_id }],
    };
  },
});
