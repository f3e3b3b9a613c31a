import { type Command, commandWrites } from '../../contract/command.ts';
import { type Field, type Fields, isField } from '../../contract/field.ts';
import { type GlobalOption, longSpelling } from '../arguments/options.ts';

/** Whether an option of all commands makes a difference to this one. */
export function optionApplies(option: GlobalOption, command: Command): boolean {
  const { kind, reply } = command.output;
  if (reply === undefined && isAboutOutput(option)) return false;
  const isWrite = commandWrites(command);
  switch (option.where) {
    case 'output':
      return true;
    case 'secret':
      return kind !== 'value' && holdsSecret(reply?.record?.fields ?? {});
    case 'list':
      return kind === 'rows' || kind === 'document';
    case 'write':
      return isWrite && answers(option, command);
    case 'wait':
      return isWrite || (command.wait === 'always' && longSpelling(option) !== '--wait');
    case 'several':
      return command.targets.several;
    default:
      return false;
  }
}

function isAboutOutput({ where }: GlobalOption): boolean {
  return ['output', 'secret', 'list'].includes(where);
}

function holdsSecret(fields: Fields): boolean {
  return Object.values(fields).some(isSecret);
}

function isSecret({ secret, of }: Field): boolean {
  if (secret || of === undefined) return secret ?? false;
  return isField(of) ? isSecret(of) : holdsSecret(of);
}

function answers(option: GlobalOption, { confirm }: Command): boolean {
  const name = longSpelling(option);
  if (name === '--yes') return confirm?.level === 'yes';
  return name !== '--confirm' || confirm?.level === 'typed';
}
