import { flagWords } from '../contract/command-line.ts';
import { Problem } from '../problems/problem.ts';
import type { Settings } from '../settings/settings.ts';
import type { Options } from './options.ts';

/** The flags without which a bare command would ask another service than this run. */
export function serviceFlags(
  { sandbox, profile, baseUrl, authUrl, account }: Options,
  settings: Settings,
): readonly string[] {
  return [
    ...(sandbox ? ['--sandbox'] : []),
    ...(profile !== undefined && isKnown(settings) ? flagWords('-p', profile) : []),
    ...(baseUrl === undefined ? [] : flagWords('--base-url', baseUrl)),
    ...(account === undefined ? [] : flagWords('-a', account)),
    ...(authUrl === undefined ? [] : flagWords('--auth-url', authUrl)),
  ];
}

/** No command works with a profile that is not there. */
function isKnown(settings: Settings): boolean {
  try {
    return settings.profile !== '';
  } catch (error) {
    if (error instanceof Problem) return false;
    throw error;
  }
}
