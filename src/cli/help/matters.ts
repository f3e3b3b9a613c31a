import { type Command, commandTells, commandWrites } from '../../contract/command.ts';
import { type Field, type Fields, isField } from '../../contract/field.ts';
import type { GlobalOption } from '../words/options.ts';
import { changesSeveral } from './exits.ts';

/** Whether an option of all commands makes a difference to this one. */
export function matters(option: GlobalOption, command: Command): boolean {
  const { reply } = command;
  if (reply === undefined && isAboutOutput(option)) return false;
  const isWrite = commandWrites(command);
  switch (option.where) {
    case 'output':
      return true;
    case 'row':
      return !isWrite;
    case 'secret':
      return !command.bare && holdsSecret(reply?.record?.fields ?? {});
    case 'list':
      return showsTable(command);
    case 'write':
      return isWrite && answers(option, command);
    case 'wait':
      return isWrite || (command.waits === true && !option.flags.endsWith('--wait'));
    case 'several':
      return changesSeveral(command);
    default:
      return false;
  }
}

function isAboutOutput({ where }: GlobalOption): boolean {
  return ['output', 'row', 'secret', 'list'].includes(where);
}

function showsTable(command: Command): boolean {
  const { reply, table } = command;
  return (table !== undefined || reply?.envelope === 'page' || reply?.envelope === 'rows') && !commandTells(command);
}

function holdsSecret(fields: Fields): boolean {
  return Object.values(fields).some(isSecret);
}

function isSecret({ secret, of }: Field): boolean {
  if (secret || of === undefined) return secret ?? false;
  return isField(of) ? isSecret(of) : holdsSecret(of);
}

function answers({ flags }: GlobalOption, { confirm }: Command): boolean {
  if (flags.includes('--yes')) return confirm?.level === 'yes';
  return !flags.includes('--confirm') || confirm?.level === 'typed';
}
