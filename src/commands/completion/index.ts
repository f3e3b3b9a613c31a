import { dirname } from 'node:path';
import { localCommand, writeLocally } from '../../builders/custom-command.ts';
import {
  completionScripts,
  findScriptTarget,
  findUserShell,
  isOurScript,
  readScript,
} from '../../completion/scripts.ts';
import { type Shell, shells } from '../../completion/shells.ts';
import type { Menu } from '../../contract/command.ts';
import { nullable, oneOf, optional, text } from '../../contract/field.ts';
import type { CommandHost } from '../../contract/host.ts';
import { type RecordOf, record } from '../../contract/record.ts';
import { one } from '../../contract/reply.ts';
import { shellWord } from '../../contract/values/text.ts';
import { CliError } from '../../errors/cli-error.ts';
import { prepareFolder } from '../../files/private-folder.ts';
import { replaceFile } from '../../files/replace-file.ts';

const Installation = record(
  'installation',
  {
    shell: oneOf(shells, 'Shell.'),
    file: nullable(text('File that the shell reads.')),
    change: oneOf(['written', 'unchanged', 'dry run', 'by hand'], 'Result.'),
    next: text('Next step.'),
  },
  ['shell', 'file', 'change', 'next'],
);
type Installation = RecordOf<typeof Installation>;

const powershellLine = 'stackops completion powershell | Out-String | Invoke-Expression';

function createPrintCommand(shell: Shell) {
  return localCommand({
    moreEffects: [],
    about: `Print the completion script for ${shell}.`,
    params: {},
    examples: [`stackops completion ${shell}`],
    run: async () => completionScripts[shell],
    present: (script) => ({ kind: 'value', text: script.trimEnd() }),
  });
}

export const completionCommands: Menu = {
  ...Object.fromEntries(shells.map((shell) => [`completion ${shell}`, createPrintCommand(shell)])),
  'completion install': localCommand({
    moreEffects: ['changes_machine'],
    about: 'Install the completion script for your shell.',
    params: { shell: optional(oneOf(shells, 'Shell (default: from $SHELL).')) },
    examples: ['stackops completion install', 'stackops completion install --shell zsh -y'],
    output: { kind: 'change', reply: one(Installation) },
    confirm: { level: 'yes', act: 'Write' },
    run: async (context, { shell: chosenShell }): Promise<Installation> => {
      const { shell, target, script } = chooseTarget(chosenShell, context.host.env);
      if (!target)
        return { shell, file: null, change: 'by hand', next: `Add to the file in $PROFILE: ${powershellLine}` };
      const { file, nextStep } = target;
      if (script === completionScripts[shell]) return { shell, file, change: 'unchanged', next: nextStep };
      await context.confirm({ name: file, details: () => [`completion for ${shell}`] });
      const isWritten = await writeLocally(context, `write ${file}`, async () => {
        prepareFolder(dirname(file));
        replaceFile(file, completionScripts[shell], { force: true });
      });
      return { shell, file, change: isWritten ? 'written' : 'dry run', next: nextStep };
    },
    present: ({ file, change, next }) => ({
      kind: 'done',
      lines: change === 'dry run' ? [] : [...(file ? [`${file} ${change}`] : []), next],
    }),
  }),
};

function chooseTarget(chosenShell: Shell | undefined, env: CommandHost['env']) {
  const shell = chosenShell ?? findUserShell(env);
  if (!shell) {
    const reason = env['SHELL'] ? `$SHELL is "${env['SHELL']}"` : '$SHELL is not set';
    throw new CliError('usage', `unknown shell: ${reason}; use --shell with ${shells.join(', ')}`, {
      correction: { add: ['--shell', 'bash'] },
    });
  }
  const target = findScriptTarget(shell, env);
  const script = target && readScript(target);
  if (!target || script === undefined || isOurScript(script)) return { shell, target, script };
  throw new CliError('rejected', `${target.file} exists and is not from stackops`, {
    nothing: 'changed',
    hint: `mv ${shellWord(target.file)} ${shellWord(`${target.file}.bak`)}`,
  });
}
