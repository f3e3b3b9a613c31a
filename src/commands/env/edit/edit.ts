import type { Apply, Context } from '../../../contract/command.ts';
import { optional, type Values } from '../../../contract/field.ts';
import type { Plan } from '../../../contract/plan.ts';
import { findAmong, readAll } from '../../../kinds/resource/find.ts';
import { refuseReadonly } from '../../../kinds/resource/refuse.ts';
import { write } from '../../../kinds/write.ts';
import { Problem } from '../../../problems/problem.ts';
import { applyStrategy, environments, type Variable, variable } from '../../../resources/env.ts';
import { inStack } from '../../../resources/shared.ts';
import { describeStack } from '../../../resources/stack.ts';
import { planChangeSet, type SourcedVariable } from '../plan/change-set.ts';
import { emptyCommand } from '../set.ts';
import { isPlaceholder, textOf } from '../variable/value.ts';
import { variableChangeRecord } from '../variable/variable-change.ts';
import { type EditorServices, editText } from './editor.ts';
import { unapplied } from './unapplied.ts';
import { commentOf, editedChanges, fileName, variablesText } from './variables-text.ts';

const params = {
  stack_id: inStack,
  key: optional({ ...variable.argumentField, about: 'Variable whose bare value is edited (default: all as dotenv).' }),
  apply_strategy: applyStrategy,
};
type EditInput = Values<typeof params>;

/** What was changed in the editor, and the variables that it showed. */
interface Edited {
  readonly shown: readonly Variable[];
  readonly changes: readonly SourcedVariable[];
}

/** `env edit`: variables changed in an editor. */
export function edit(services: EditorServices) {
  return write({
    about: 'Change environment variables in an editor ($VISUAL or $EDITOR).',
    params,
    positionals: ['key'],
    examples: ['stackops stack env edit -s shop', 'stackops stack env edit ROBOTS -s shop'],
    calls: [environments.list, environments.create, environments.update, environments.delete],
    record: variableChangeRecord,
    isList: true,
    confirm: {
      level: 'yes',
      act: 'Change variables of',
      when: 'before every change; where a line was removed, by the name of the stack',
    },
    edit: async (context, input, apply: Apply<Edited>) => {
      const shown = await readAll(context, variable, input);
      const { key } = input;
      const editing = key === undefined ? await editAll(shown, context, input) : editOne(shown, key, input);
      const read = (text: string) => ({ text, changes: editing.read(text) });
      const { text, changes } = (await editText({ ...editing, read, warn: context.warn }, services)) ?? {
        text: '',
        changes: [],
      };
      try {
        return await apply({ shown, changes });
      } catch (error) {
        // An editor that is a program can write the text again.
        if (services.ask === undefined) throw error;
        throw unapplied(error, { fileName: editing.name, text, changes, input }, context);
      }
    },
    plan: async (context, input, { shown, changes }) => {
      if (changes.length === 0) return nothingToDo;
      const { stack_id, apply_strategy } = input;
      const known = await readAll(context, variable, input);
      refuseMoved(shown, known, changes);
      return planChangeSet(context, changes, { stack_id, known, origin: 'env file', apply_strategy });
    },
  });
}

async function editAll(shown: readonly Variable[], context: Context, { stack_id }: EditInput) {
  const text = variablesText(shown, await describeStack(context, stack_id));
  return { name: fileName, text, read: (after: string) => editedChanges(text, after), comment: commentOf };
}

/** The bare value in a file that ends its last line, as editors want it; that line end is no part of the value. */
function editOne(shown: readonly Variable[], argument: string, input: EditInput) {
  const row = findAmong(variable, shown, argument, input);
  refuseReadonly([row]);
  const { key } = row;
  const before = isPlaceholder(row) ? '' : (textOf(row) ?? '');
  const read = (after: string): readonly SourcedVariable[] => {
    const value = after.replace(/\r?\n$/, '');
    if (value === before) return [];
    if (value !== '') return [{ key, value }];
    throw new Problem('usage', `the value of ${key} is empty`, { hint: emptyCommand([key], input.stack_id) });
  };
  return { name: 'value.txt', text: `${before}\n`, read };
}

/** Throws rejected where somebody else changed one of the variables after it was shown. */
function refuseMoved(shown: readonly Variable[], now: readonly Variable[], changes: readonly SourcedVariable[]): void {
  const textIn = (rows: readonly Variable[], key: string) => {
    const row = rows.find((other) => other.key === key);
    return row && textOf(row);
  };
  const moved = changes.filter(({ key }) => textIn(shown, key) !== textIn(now, key)).map(({ key }) => key);
  if (moved.length === 0) return;
  throw new Problem('rejected', `somebody else changed ${moved.join(', ')} meanwhile; nothing was changed`, {
    retry: {},
  });
}

const nothing = ['Nothing changed.'];
const nothingToDo: Plan = {
  steps: [],
  preview: { changes: [], lines: nothing },
  summarize: () => ({ lines: nothing }),
};
