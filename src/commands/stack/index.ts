import { call } from '../../builders/call.ts';
import { localCommand, writeLocally } from '../../builders/custom-command.ts';
import type { Menu } from '../../contract/command.ts';
import { text } from '../../contract/field.ts';
import { stackParam } from '../../contract/params.ts';
import { record } from '../../contract/record.ts';
import { one } from '../../contract/reply.ts';
import { stacks } from '../../resources/stack.ts';

const defaultStackFields = { profile: text('Profile.'), stack: text('UID of the stack.') };
const DefaultStack = record('default stack', defaultStackFields, ['profile', 'stack']);

const useCommand = localCommand({
  restriction: 'settings',
  moreEffects: ['reads_service', 'changes_machine'],
  about: 'Set the default stack of the profile.',
  params: { stack: { ...stackParam, presence: 'required' } },
  positionals: ['stack'],
  examples: ['stackops stack use shop'],
  supportsSandbox: true,
  output: { kind: 'change', reply: one(DefaultStack) },
  run: async (context, { stack }) => {
    const { settings, stackName } = context.host;
    const profile = settings.requestedProfile.value;
    // Imported here, because the other commands of `stack` do not need these files.
    const { locateConfig } = await import('../config/setting-words.ts');
    const { changeProfile } = await import('../../settings/config-file.ts');
    const name = stackName(stack);
    const changes = { stack, stack_name: name === stack ? undefined : name };
    const save = () => changeProfile(locateConfig(context), profile, changes);
    const isSaved = await writeLocally(context, `set the default stack of profile ${profile} to ${name}`, save);
    if (isSaved) context.note(`Default stack is now ${name}.`);
    return { profile, stack };
  },
});

export const stackCommands: Menu = {
  'stack list': call(stacks.list, {
    examples: ['stackops stack list', 'stackops stack list --json --fields uid,name'],
  }),
  'stack get': call(stacks.get, { positionals: ['id'], examples: ['stackops stack get shop'] }),
  'stack use': useCommand,
};
