import type { Menu } from '../../contract/command.ts';
import { closeCommand, createListCommand, showCommand } from './show.ts';
import { undoCommand } from './undo.ts';

/** The commands of `history`. They use the journal on this machine; only `undo` sends requests. */
export const historyCommands: Menu = {
  history: createListCommand('history'),
  'history list': createListCommand('history list'),
  'history show': showCommand,
  'history close': closeCommand,
  'history undo': undoCommand,
};
