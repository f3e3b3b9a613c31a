import { localCommand } from '../../builders/custom-command.ts';
import {
  completionScripts,
  findScriptTarget,
  findUserShell,
  isOurScript,
  readScript,
} from '../../completion/scripts.ts';
import type { Menu } from '../../contract/command.ts';
import type { Environment } from '../../contract/host.ts';
import { rows } from '../../contract/reply.ts';
import { shellWord } from '../../contract/values/text.ts';
import { CliError } from '../../errors/cli-error.ts';
import { findFolders } from '../../files/folders.ts';
import { removeLeftoverFolders } from '../../files/temporary-file.ts';
import { type CheckResult, type DoctorContext, Finding, ok, runCheck, skipped, warning } from './check.ts';
import { examineNetwork } from './network.ts';
import { examineAccess, examineMachine, examineSkills } from './setup.ts';

export const doctorCommands: Menu = {
  doctor: localCommand({
    moreEffects: ['reads_service', 'reads_machine'],
    about: 'Diagnose configuration, network and sign-in problems.',
    params: {},
    examples: ['stackops doctor', 'stackops doctor --json'],
    exits: [[1, 'a problem was found']],
    reply: rows(Finding),
    run: async ({ now, elapsed, host }) => {
      // A session is opened without a broken configuration, so the folders are looked up again here.
      const folders = findFolders(host.env, host.platform);
      return failOnProblems(await examine({ now, elapsed, host, folders }));
    },
    present: (findings) => ({
      kind: 'table',
      record: Finding,
      rows: findings,
      below: findings.flatMap(({ check, repair }) => (repair ? [`fix ${check}: ${repair}`] : [])),
    }),
  }),
};

async function examine(context: DoctorContext): Promise<readonly Finding[]> {
  // The temporary files that killed editors left are removed. The checks themselves only read.
  removeLeftoverFolders();
  const machineFindings = await examineMachine(context);
  const access = await examineAccess(context);
  return [
    ...machineFindings,
    await runCheck('completion', () => completionResult(context.host.env)),
    ...(await examineSkills(context)),
    ...access.findings,
    ...(await examineNetwork(context, access)),
  ];
}

const installCommand = 'stackops completion install';

function completionResult(env: Environment): CheckResult {
  const shell = findUserShell(env);
  if (!shell) return skipped(env['SHELL'] ? `not available for ${env['SHELL']}` : '$SHELL is not set');
  const target = findScriptTarget(shell, env);
  if (!target) return skipped(`no completion folder for ${shell}`);
  const script = readScript(target);
  if (script === undefined) return warning(`not installed for ${shell}: ${target.file} not found`, installCommand);
  if (script === completionScripts[shell]) return ok(`installed: ${target.file}`);
  if (isOurScript(script)) return warning(`${target.file} is from another version`, installCommand);
  const renameCommand = `mv ${shellWord(target.file)} ${shellWord(`${target.file}.bak`)}`;
  return warning(`${target.file} is not from stackops`, `${renameCommand} && ${installCommand}`);
}

function failOnProblems(findings: readonly Finding[]): readonly Finding[] {
  const problems = findings.filter(({ state }) => state === 'problem');
  if (problems.length === 0) return findings;
  const countText = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
  throw new CliError('operation_failed', `${countText}: ${problems.map(({ check }) => check).join(', ')}`, {
    exitCode: 1,
    partial: { value: findings },
  });
}
