import type { Context } from '../../contract/command.ts';
import { configFile } from '../../settings/config-file.ts';
import type { ConfigPlace } from '../../settings/profiles.ts';
import type { Services } from '../services.ts';

/** The configuration file that a command changes. */
export function configPlace({ folders }: Services, { warn }: Context): ConfigPlace {
  return { file: configFile(folders()), warn };
}
