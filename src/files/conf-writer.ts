import { basename, dirname } from 'node:path';
import { cannotWrite, orCannotWrite } from './file-fault.ts';

/** The one door of `conf`. Loaded before the lock is taken, so that nobody waits for it. Throws internal. */
export async function confWriter(file: string) {
  // The import itself fails for a user without HOME and without an entry in the user database.
  const { default: Conf } = await import('conf').catch((error: unknown) => {
    throw cannotWrite(file, error);
  });
  return (value: object) =>
    orCannotWrite(file, () => {
      const conf = new Conf<Record<string, unknown>>({
        cwd: dirname(file),
        configName: basename(file, '.json'),
        configFileMode: 0o600,
        accessPropertiesByDotNotation: false,
        serialize: (store) => `${JSON.stringify(store, undefined, 2)}\n`,
      });
      conf.store = { ...value };
    });
}
