import type { Confirm, Context } from '../../contract/command.ts';
import type { ProfileChanges } from '../../settings/config-file.ts';
import { settingTable } from '../../settings/table.ts';

/** Asks for the name of the profile before a guard is lifted. */
export const guardConfirm = { level: 'typed', act: 'Lift the guards of profile' } as const satisfies Confirm;

type Values = Readonly<Record<string, unknown>>;

/** Asks when a change or the deletion of a profile lifts or replaces a guard. */
export async function confirmGuards(
  context: Context,
  name: string,
  now: Values,
  changes?: ProfileChanges,
): Promise<void> {
  const lifted = liftedGuards(now, changes);
  if (lifted.length > 0) await context.confirm({ name, details: () => lifted });
}

function liftedGuards(now: Values, changes?: ProfileChanges): readonly string[] {
  const isChanged = (guard: string) => !changes || (Object.hasOwn(changes, guard) && changes[guard] !== now[guard]);
  const switches = ['protected', 'readonly', 'approve_command'].filter((guard) => {
    return now[guard] != null && now[guard] !== 'false' && isChanged(guard);
  });
  const { preset = '' } = settingTable.agents;
  const before = String(now['agents'] ?? preset);
  const after = changes ? (changes['agents'] ?? preset) : preset;
  const isWider = changes ? isChanged('agents') && widthOf(after) > widthOf(before) : now['agents'] != null;
  return [...switches, ...(isWider ? ['agents'] : [])];
}

function widthOf(mode: string): number {
  return settingTable.agents.choices?.indexOf(mode) ?? 0;
}
