import { type Command, commandQueues, commandWrites, type Shown } from '../contract/command.ts';
import type { Field, Fields } from '../contract/field.ts';
import { shownBy } from '../contract/shown.ts';
import { changesSeveral } from './exits.ts';
import type { GlobalOption } from './options.ts';

/** Whether an option of all commands makes a difference to this one. */
export function matters(option: GlobalOption, command: Command): boolean {
  const { reply } = command;
  if (reply === undefined && isAboutOutput(option)) return false;
  const isWrite = commandWrites(command);
  switch (option.where) {
    case 'output':
      return true;
    case 'row':
      return isShownWhole(shownBy(command)) && !isWrite;
    case 'secret':
      return isShownWhole(shownBy(command)) && holdsSecret(reply?.record?.fields ?? {});
    case 'list':
      return isList(command) && !isWrite;
    case 'write':
      return isWrite && answers(option, command);
    case 'wait':
      return commandQueues(command) || (command.waits === true && !option.flags.endsWith('--wait'));
    case 'several':
      return changesSeveral(command);
    default:
      return false;
  }
}

function isAboutOutput({ where }: GlobalOption): boolean {
  return ['output', 'row', 'secret', 'list'].includes(where);
}

/** Only tables and single objects have cells, which are masked, and quoted in CSV. */
function isShownWhole(shown: Shown): boolean {
  return shown === 'rows' || shown === 'object';
}

/** What people see as a list may be one object to programs, and no list can be cut out of that. */
function isList(command: Command): boolean {
  const { envelope = 'one' } = command.reply ?? {};
  return shownBy(command) === 'rows' && ['page', 'rows', 'opaque'].includes(envelope);
}

function holdsSecret(fields: Fields): boolean {
  return Object.values(fields).some(isSecret);
}

function isSecret({ secret, of }: Field): boolean {
  if (secret || of === undefined) return secret ?? false;
  return isField(of) ? isSecret(of) : holdsSecret(of);
}

function isField(of: Field | Fields): of is Field {
  return typeof of['kind'] === 'string';
}

function answers({ flags }: GlobalOption, { confirm }: Command): boolean {
  if (flags.includes('--yes')) return confirm?.level === 'yes';
  return !flags.includes('--confirm') || confirm?.level === 'typed';
}
