import { type NewBackup, newBackup } from '../seed/backup-rows.ts';
import { stamp } from '../seed/made-up.ts';
import type { HeldServer, HeldSetting, HeldStack, SettingValue, StackEffect, State } from '../state.ts';
import { done, type Ending, failed } from './ending.ts';

type EffectOf<Kind extends StackEffect['kind']> = Extract<StackEffect, { readonly kind: Kind }>;

/** Changes a stack, or one of its servers, processes and backups. */
export function applyStackEffect(
  state: State,
  stack: HeldStack,
  { effect, endMs }: { readonly effect: StackEffect; readonly endMs: number },
): Ending {
  switch (effect.kind) {
    case 'stack_setting':
      return setOfStack(stack, effect, stamp(endMs));
    case 'server_setting':
      return setOfServer(stack, effect, stamp(endMs));
    case 'server_reboot':
      return endReboot(stack, effect.server);
    case 'process_scale':
      return scale(stack, effect);
    case 'backup':
      return backUp(state, stack, { ...effect, atMs: endMs });
  }
}

function setOfStack(stack: HeldStack, { key, value }: EffectOf<'stack_setting'>, at: string): Ending {
  const ending = change(stack.settings, { key, value, at });
  if (key === 'git.branch') stack.row.git_branch = String(value);
  if (key === 'maintenance.mode') stack.row.maintenance_mode = value === true;
  return ending;
}

function setOfServer(stack: HeldStack, { server, key, value }: EffectOf<'server_setting'>, at: string): Ending {
  const found = serverOf(stack, server);
  if (!found) return failed(`server "${server}" no longer exists`);
  if (key === 'server.name') found.row.name = String(value);
  found.row.updated_at = at;
  return change(found.settings, { key, value, at });
}

interface Change {
  readonly key: string;
  readonly value: SettingValue;
  readonly at: string;
}

function change(settings: readonly HeldSetting[], { key, value, at }: Change): Ending {
  const setting = settings.find((other) => other.key === key);
  if (!setting) return failed(`setting "${key}" no longer exists`);
  Object.assign(setting, { value, updated_at: at });
  return done(`Setting ${key} changed.`);
}

function endReboot(stack: HeldStack, uid: string): Ending {
  const server = serverOf(stack, uid);
  if (!server) return failed(`server "${uid}" no longer exists`);
  server.row.health_state = 3;
  return done(`Server ${server.row.name} rebooted.`);
}

function scale({ processes }: HeldStack, { name, counts }: EffectOf<'process_scale'>): Ending {
  const held = processes.find((other) => other.name === name);
  if (!held) return failed(`process "${name}" no longer exists`);
  held.counts = { ...held.counts, ...counts };
  return done(`Process ${name} scaled.`);
}

function backUp(state: State, stack: HeldStack, input: Omit<NewBackup, 'type'> & EffectOf<'backup'>): Ending {
  for (const type of input.types) stack.backups.push(newBackup(state, stack, { ...input, type }));
  return done(`Backup of ${input.types.join(' and ')} ${input.imported ? 'imported' : 'created'}.`);
}

function serverOf({ servers }: HeldStack, uid: string): HeldServer | undefined {
  return servers.find(({ row }) => row.uid === uid);
}
