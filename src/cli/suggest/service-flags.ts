import { type Destination, flagWords } from '../../contract/command-line.ts';
import { Problem } from '../../problems/problem.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Options } from '../arguments/options.ts';

/** The service and account that a bare command would not ask by itself. */
export function serviceOf(options: Options, settings: Settings): Pick<Destination, 'flags' | 'account'> {
  return { flags: serviceFlags(options, settings), account: options.account };
}

function serviceFlags({ sandbox, profile, baseUrl }: Options, settings: Settings): readonly string[] {
  return [
    ...(sandbox ? ['--sandbox'] : []),
    ...(profile !== undefined && isKnown(settings) ? flagWords('-p', profile) : []),
    ...(baseUrl === undefined ? [] : flagWords('--base-url', baseUrl)),
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
