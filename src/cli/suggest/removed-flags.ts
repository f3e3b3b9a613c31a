import { commandText } from '../../contract/command-line.ts';
import { shellWord } from '../../contract/values/shell-word.ts';
import { Problem } from '../../problems/problem.ts';
import { type SettingName, settingTable } from '../../settings/table.ts';
import { givesStack } from '../arguments/options.ts';
import { meantCommand, type ReadLine } from './meant-command.ts';

/** A flag that became a setting; a switch has the value that it stood for. */
interface Replacement {
  readonly setting: SettingName & ('auth_url' | 'csv_raw' | 'retries' | 'reconcile');
  readonly value?: string;
}

const replacements: Readonly<Record<string, Replacement>> = {
  '--auth-url': { setting: 'auth_url' },
  '--csv-raw': { setting: 'csv_raw', value: 'on' },
  '--retries': { setting: 'retries' },
  '--no-reconcile': { setting: 'reconcile', value: 'off' },
};
const stacksFile = '--stacks-file';

/** The mistake of a flag that older versions had, with what replaces it; undefined where none was given. */
export async function removedFlag(argv: readonly string[], read: ReadLine): Promise<Problem | undefined> {
  const cut = argv.indexOf('--');
  const flags = (cut < 0 ? argv : argv.slice(0, cut)).map((arg) => arg.replace(/=.*$/s, ''));
  const at = flags.findIndex((flag) => flag === stacksFile || Object.hasOwn(replacements, flag));
  const flag = flags[at];
  if (flag === undefined) return undefined;
  const joined = argv[at]?.slice(flag.length + 1);
  const value = joined || argv[at + 1] || '';
  const replacedBy = (args: readonly string[], hasValue = true) =>
    meantCommand(argv.toSpliced(at, hasValue && !joined ? 2 : 1, ...args), read);
  if (flag === stacksFile) {
    const meant =
      value !== '' && !givesStack(argv) ? await replacedBy(['-s', value === '-' ? '-' : `@${value}`]) : undefined;
    return new Problem('usage', `${flag} was removed; use -s @FILE, or -s - for stdin`, meant && { hint: meant });
  }
  const replacement = replacements[flag] as Replacement;
  const meant = await replacedBy([], replacement.value === undefined);
  return becameSetting(flag, { value, ...replacement }, meant && commandText(meant));
}

function becameSetting(flag: string, { setting, value = '' }: Replacement, command: string | undefined): Problem {
  const { variable, check } = settingTable[setting];
  const message = `${flag} was removed; use ${variable} or the setting ${setting}`;
  // A value that the setting refuses may hold a password.
  if (!('value' in check(value))) return new Problem('usage', message);
  const assignment = `${variable}=${shellWord(value)}`;
  return new Problem('usage', message, { hint: command ? `${assignment} ${command}` : `export ${assignment}` });
}
