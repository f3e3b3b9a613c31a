import type { Menu } from '../../contract/command.ts';
import { text } from '../../contract/field.ts';
import { record } from '../../contract/record.ts';
import { one } from '../../contract/reply.ts';
import { script } from '../../kinds/script.ts';
import { envMenu } from '../../resources/env.ts';
import { inStack } from '../../resources/shared.ts';
import { stackMenu } from '../../resources/stack.ts';
import { stackSettingMenu } from '../../resources/stack-setting.ts';
import { envStories } from '../env/index.ts';
import { writeLocally } from '../local-write.ts';
import type { Services } from '../services.ts';
import { stackSettingStories } from '../settings/index.ts';

const DefaultStack = record(
  'default stack',
  { profile: text('Profile it is the default of.'), stack: text('UID of the stack.') },
  ['profile', 'stack'],
);

/** `stack` and everything below it. */
export function stackCommands(services: Services): Menu {
  return {
    ...stackMenu,
    'stack use': useCommand(services),
    ...envMenu,
    ...envStories,
    ...stackSettingMenu,
    ...stackSettingStories,
  };
}

function useCommand(services: Services) {
  return script({
    about: 'Make a stack the default of the profile.',
    params: { stack: { ...inStack, presence: 'required' } },
    positionals: ['stack'],
    examples: ['stackops stack use shop'],
    calls: [],
    asksService: true,
    reply: one(DefaultStack),
    run: async (context, { stack }) => {
      const profile = services.settings().wantedProfile.value;
      // Imported here: all other words of `stack` do without the files of settings.
      const { configFile } = await import('../../settings/config-file.ts');
      const { changeProfile } = await import('../../settings/profiles.ts');
      const file = configFile(services.folders());
      const isDone = await writeLocally(
        context,
        `make ${services.stackName(stack)} the default stack of profile ${profile}`,
        () => changeProfile({ file, warn: context.warn }, profile, { stack }),
      );
      if (isDone)
        context.note(
          `Commands with profile ${profile} now act on stack ${services.stackName(stack)} unless told otherwise.`,
        );
      return { profile, stack };
    },
    tells: true,
    present: () => ({ kind: 'nothing' }),
  });
}
