import { expect } from 'vitest';
import type { Command, RunHandler, WriteHandler } from '../../src/contract/command.ts';

/** What a command does that is expected to yield a value. */
export function runsOf(command: Command | undefined): RunHandler {
  return command?.handler.kind === 'runs' ? command.handler : expect.fail('a command that runs was expected');
}

/** What a command does that is expected to write. */
export function writesOf(command: Command | undefined): WriteHandler {
  return command?.handler.kind === 'writes' ? command.handler : expect.fail('a command that writes was expected');
}
