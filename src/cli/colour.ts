import { colourLevel } from '../output/table/theme.ts';
import type { Resolved } from '../settings/settings.ts';

/** Whether a stream gets colour: a flag first, then the variables all programs share, then the stored preference. */
export function wantsColour(
  { value, origin }: Resolved,
  env: Readonly<Record<string, string | undefined>>,
  terminal: boolean,
): boolean {
  const shared = env['NO_COLOR'] || env['FORCE_COLOR'] || env['CLICOLOR_FORCE'];
  const flag = origin.startsWith('flag') || !shared ? value : undefined;
  return colourLevel({ flag, env, isTTY: terminal }) > 0;
}
