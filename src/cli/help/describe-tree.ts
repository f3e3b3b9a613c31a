import { descriptionVersion, type GroupDescription, type TreeDescription } from '../../contract/description.ts';
import { changeMeanings } from '../../contract/plan.ts';
import { changeRecord } from '../../kinds/perform/summary.ts';
import { exitMeanings } from '../../problems/exit-codes.ts';
import { globalOptions } from '../arguments/options.ts';
import { purpose } from '../stackops.ts';
import type { TopLevelCommand } from '../world.ts';
import { describeCommands, describeFields } from './describe.ts';
import { topicNames } from './topics/topic.ts';

/** The one walk over all commands: every noun is loaded, in the order of the root help. */
export async function describeTree(nouns: readonly TopLevelCommand[]): Promise<TreeDescription> {
  const commands = await describeCommands(nouns);
  const isCommand = new Set(commands.map(({ name }) => name));
  return {
    version: descriptionVersion,
    about: purpose,
    options: globalOptions.map(({ flags, about }) => ({ flags, about })),
    groups: nouns
      .flatMap(({ name, about, description, groups = {} }): readonly GroupDescription[] => [
        { name, about, description },
        ...Object.entries(groups).map(([path, meaning]) => ({ name: path, about: meaning, description: null })),
      ])
      .filter(({ name }) => !isCommand.has(name)),
    commands,
    topics: Object.entries(topicNames).map(([name, about]) => ({ name, about })),
    change_record: {
      fields: describeFields(changeRecord({}).fields),
      changes: Object.entries(changeMeanings).map(([change, meaning]) => ({ change, meaning })),
    },
    exit_codes: exitMeanings.map(([code, meaning]) => ({ code, meaning })),
  };
}
