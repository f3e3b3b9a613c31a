import type { Context } from '../../contract/command.ts';
import { type CommandLine, flagWords } from '../../contract/command-line.ts';
import type { Fields, Input } from '../../contract/field.ts';
import { inPlace } from '../../contract/noun.ts';
import type { Change, Summary } from '../../contract/plan.ts';
import { isSame } from './read-back.ts';
import { acceptedLine, changeLine, changeWords, isUnderWay, undoAfter, valueText, verbs } from './summary.ts';

export type Says = (field: string, value: unknown, now: Date) => string | undefined;

/** A resource that `change` has changed, as far as its lines and its undo need to know. */
interface Changed {
  readonly context: Context;
  readonly input: Input;
  /** `variant va-canary` */
  readonly name: string;
  readonly id: string | number;
  readonly spec: {
    readonly params: Fields;
    readonly unit?: string;
    readonly says?: Says;
    readonly undo?: (before: Input) => Input;
  };
}

/** `variant va-canary updated (10 % -> 25 %)`; of several values one line each: `gateway bastion-2: ttl - -> …`. */
export function summarizeChange(changes: readonly Change[], changed: Changed): Summary {
  const { context, input, id } = changed;
  const undo = undoOf(changes, changed.spec);
  const command = { path: context.command, ...inPlace(input), ...givenBack(String(id), undo) };
  return {
    lines: changes.flatMap((change) => linesOfChange(change, { ...changed, undo })),
    undo: undoAfter(changes, input['stack_id'], undo.size > 0 ? [command] : []),
  };
}

interface Lines extends Pick<Changed, 'context' | 'name' | 'spec'> {
  readonly undo: ReadonlyMap<string, string>;
}

function linesOfChange(change: Change, { context, name, spec, undo }: Lines): readonly string[] {
  const { before, after } = change;
  const textOf = (value: unknown) => changeText(value, spec);
  if (typeof before !== 'object' || before === null) {
    const values = isUnderWay(change) ? `${textOf(before)} -> ${textOf(after)}` : textOf(before);
    return [changeLine(name, change, verbs.update, [values])];
  }
  if (!isUnderWay(change) && change.change !== 'accepted') return [changeLine(name, change, verbs.update)];
  const isMade = change.action === null || change.change === 'accepted';
  const head = isMade ? name : changeWords(name, change, verbs.update);
  return Object.entries(before).map(([field, value]) => {
    const label = spec.params[field]?.label ?? field;
    if (isStuck(change, field)) return acceptedLine(name, change, `${label} ${textOf(value)}`);
    const now = (after as Input)[field];
    const text = value === '***' ? 'replaced' : `${textOf(value)} -> ${textOf(now)}`;
    const said = spec.says?.(field, now, context.now()) ?? `${label} ${text}`;
    return `${head}: ${said}${undo.has(field) ? '' : ' (no undo)'}`;
  });
}

/** Whether the service still shows the old value of a field. */
function isStuck({ change, before, after }: Change, field: string): boolean {
  const [was, is] = [before, after].map((side) => (side as Input)[field]);
  return change === 'accepted' && was !== '***' && isSame(was, is);
}

function changeText(value: unknown, { unit = '' }: { readonly unit?: string }): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return `${valueText(value)}${unit}`;
  return Object.entries(value)
    .map(([name, one]) => `${name} ${valueText(one)}`)
    .join(', ');
}

/** What was before, as it would be asked for. */
function undoOf(changes: readonly Change[], { undo }: Changed['spec']): ReadonlyMap<string, string> {
  const [change] = changes.filter((one) => isUnderWay(one) || one.change === 'accepted');
  if (!change) return new Map();
  const { before } = change;
  if (typeof before !== 'object' || before === null)
    return isUnderWay(change) ? new Map([['', String(before)]]) : new Map();
  const given = Object.entries(undo?.(before as Input) ?? before);
  return new Map(
    given
      .filter(([, value]) => (typeof value === 'string' && value !== '') || typeof value === 'number')
      .filter(([name]) => !isStuck(change, name))
      .map(([name, value]) => [name, String(value)]),
  );
}

function givenBack(id: string, undo: ReadonlyMap<string, string>): Pick<CommandLine, 'operands' | 'flags'> {
  const value = undo.get('');
  if (value !== undefined) return { operands: [id, value] };
  return {
    operands: [id],
    flags: [...undo].flatMap(([name, one]) => flagWords(`--${name.replaceAll('_', '-')}`, one)),
  };
}
