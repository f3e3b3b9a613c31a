import { isOurScript, scripts } from '../../completion/scripts.ts';
import { shellWord } from '../../contract/values/shell-word.ts';
import { ownShell, scriptIn, scriptPlace } from '../completion/place.ts';
import { type CheckResult, ok, skipped, warning } from './check.ts';

const repair = 'stackops completion install';

/** Checks that the shell's completion script is installed and of this version. */
export function completionResult(env: Readonly<Record<string, string | undefined>>): CheckResult {
  const shell = ownShell(env);
  if (!shell) return skipped(env['SHELL'] ? `not available for ${env['SHELL']}` : '$SHELL is not set');
  const place = scriptPlace(shell, env);
  if (!place) return skipped(`no completion folder for ${shell}`);
  const found = scriptIn(place);
  if (found === undefined) return warning(`not installed for ${shell}: ${place.file} not found`, repair);
  if (found === scripts[shell]) return ok(`installed: ${place.file}`);
  if (isOurScript(found)) return warning(`${place.file} is from another version`, repair);
  const rename = `mv ${shellWord(place.file)} ${shellWord(`${place.file}.bak`)}`;
  return warning(`${place.file} is not from stackops`, `${rename} && ${repair}`);
}
