import { changeRecord } from '../../builders/execute/summary.ts';
import { effectMeanings } from '../../contract/effects.ts';
import { changeMeanings } from '../../contract/plan.ts';
import type { TopLevelCommand } from '../../contract/tree.ts';
import { exitCodeMeanings } from '../../errors/exit-codes.ts';
import { globalOptions } from '../arguments/options.ts';
import { stackopsPurpose } from '../arguments/read-line.ts';
import { describeCommands, describeFields } from './describe.ts';
import { schemasOf } from './schema.ts';
import { topicNames } from './topics/topic.ts';

export function createDescriber(topLevel: readonly TopLevelCommand[]) {
  return { tree: () => describeTree(topLevel), schemas: () => schemasOf(topLevel) };
}

export type TreeDescription = Awaited<ReturnType<typeof describeTree>>;

/** Describes all commands, in the order of the root help, for man pages, `docs/commands.md` and `commands --json`. */
export async function describeTree(topLevel: readonly TopLevelCommand[]) {
  const commands = await describeCommands(topLevel);
  const commandNames = new Set(commands.map(({ name }) => name));
  return {
    // Programs rely on these keys. Keys may be added. A removed key, or one with a new meaning, needs a new version.
    version: 1,
    about: stackopsPurpose,
    options: globalOptions.map(({ flags, about, field: { effects = [] } }) => ({ flags, about, effects })),
    groups: topLevel
      .flatMap(({ name, about, description, groups = {} }) => [
        { name, about, description },
        ...Object.entries(groups).map(([path, meaning]) => ({ name: path, about: meaning, description: null })),
      ])
      .filter(({ name }) => !commandNames.has(name)),
    commands,
    topics: Object.entries(topicNames).map(([name, about]) => ({ name, about })),
    change_record: {
      fields: describeFields(changeRecord({}).fields),
      changes: Object.entries(changeMeanings).map(([change, meaning]) => ({ change, meaning })),
    },
    effects: Object.entries(effectMeanings).map(([effect, meaning]) => ({ effect, meaning })),
    exit_codes: exitCodeMeanings.map(([code, meaning]) => ({ code, meaning })),
  };
}
