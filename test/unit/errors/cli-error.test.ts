import { describe, expect, it } from 'vitest';
import { CliError, exitCodeOf, exitCodes } from '../../../src/errors/cli-error.ts';
import { exitCodeMeanings } from '../../../src/errors/exit-codes.ts';

describe('CliError', () => {
  it('is an Error with a kind and details', () => {
    const error = new CliError('not_found', 'no stack "shpo"', { hint: 'stackops stack list', status: 404 });
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({
      name: 'CliError',
      kind: 'not_found',
      message: 'no stack "shpo"',
      details: { hint: 'stackops stack list', status: 404 },
    });
  });

  it('tells what came before it: nothing that was sent, and how often it was tried', () => {
    const error = new CliError('rejected', 'no way', {
      nothing: 'sent',
      attempts: 4,
      lines: ['A is busy', 'B is busy'],
    });
    expect(error.message).toBe('no way; nothing was sent (4 attempts)\nA is busy\nB is busy');
    expect(error.fault).toBe('no way (4 attempts)\nA is busy\nB is busy');
    expect(error.details).toEqual({});
    const copy = error.with({ status: 400 });
    expect([copy.message, copy.fault, copy.details]).toEqual([error.message, error.fault, { status: 400 }]);
  });

  it('keeps its cause where debuggers look for it, and none when there is none', () => {
    const cause = new Error('socket hang up');
    expect(new CliError('unavailable', 'no answer', { cause }).cause).toBe(cause);
    expect('cause' in new CliError('usage', 'no words')).toBe(false);
  });
});

describe('exit codes', () => {
  it.each([
    ['usage', 2],
    ['not_found', 3],
    ['ambiguous', 3],
    ['unauthenticated', 4],
    ['forbidden', 5],
    ['rejected', 6],
    ['unavailable', 7],
    ['pending', 8],
    ['operation_failed', 9],
    ['outcome_unknown', 11],
    ['interrupted', 130],
    ['internal', 1],
  ] as const)('%s is %i', (kind, code) => {
    expect(exitCodeOf(new CliError(kind, 'it failed'))).toBe(code);
  });

  it('are overridden by a problem that knows better', () => {
    expect(exitCodeOf(new CliError('usage', 'declined', { exitCode: 1 }))).toBe(1);
    expect(exitCodeOf(new CliError('usage', 'nothing to do', { exitCode: 0 }))).toBe(0);
  });

  it('all have a meaning to print, in rising order', () => {
    const meant = exitCodeMeanings.map(([code]) => code);
    expect(meant).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 126, 127, 129, 130, 143]);
    expect(Object.values<number>(exitCodes).filter((code) => !meant.includes(code))).toEqual([]);
  });
});
