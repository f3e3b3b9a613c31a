import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { type CommandLine, commandText } from '../../src/contract/command-line.ts';
import { type AnswerMode, faultyService, type Watcher } from '../support/faulty.ts';
import { holdTime } from '../support/held-time.ts';
import { unchanged } from '../support/phrases.ts';
import { run, temporaryFolder } from '../support/stackops.ts';
import { type Write, writes } from '../support/writes.ts';

interface Situation extends Pick<Watcher, 'onRead' | 'onHang'> {
  /** The change has arrived; where the journal is. */
  readonly onChange?: (state: string) => void;
  readonly mode: AnswerMode;
  readonly more?: readonly string[];
  readonly signal?: AbortSignal;
  /** Whether the profile is one that has every change confirmed. */
  readonly isProtected?: boolean;
  /** How the approve_command of the profile ends. */
  readonly approval?: 0 | 1;
}

const start = new Date('2026-05-04T12:00:00Z');

/** Runs one write in one situation: what the operator saw, what the service saw, and what the journal holds. */
async function meet({ words, stdin = '', env: own, first }: Write, situation: Situation) {
  const { mode, more = [], signal, isProtected, approval, onRead, onHang, onChange } = situation;
  const state = temporaryFolder();
  const { env, direct, seen } = await faultyService(mode, {
    ...(onRead && { onRead }),
    ...(onHang && { onHang }),
    onChange: () => onChange?.(state),
  });
  const clock = { now: () => start, slept: (ms: number) => seen.sleep(ms) };
  if (first) expect(await run(first, { env: direct, stdin, ...clock })).toMatchObject({ code: 0 });
  const settings = [
    ...(isProtected ? ['protected=true'] : []),
    ...(approval === undefined ? [] : [`approve_command=sh -c 'cat >> "$XDG_STATE_HOME/asked"; exit ${approval}'`]),
  ];
  const ran = await run([...words, ...more], {
    env: {
      ...env,
      ...own,
      XDG_STATE_HOME: state,
      ...(settings.length > 0 && { STACKOPS_CONFIG_DIR: await profileWith(settings) }),
    },
    stdin,
    ...clock,
    ...(signal && { signal }),
  });
  return {
    ...ran,
    sent: seen.changes.length,
    readsBefore: seen.readsBefore,
    readsAfter: seen.readsAfter,
    ...journalOf(state),
    ...(approval !== undefined && {
      calls: linesOf(join(state, 'asked')).map(changesIn),
      arrived: seen.changes.map(withoutToken),
    }),
  };
}

const profiles = new Map<string, string>();

/** The folder of a configuration whose profile has these settings, made once. */
async function profileWith(settings: readonly string[]): Promise<string> {
  const made = profiles.get(settings.join());
  if (made !== undefined) return made;
  const folder = mkdtempSync(join(tmpdir(), 'stackops-test-'));
  await run(['profile', 'set', ...settings], { env: { STACKOPS_CONFIG_DIR: folder } });
  profiles.set(settings.join(), folder);
  return folder;
}

afterAll(() => {
  for (const folder of profiles.values()) rmSync(folder, { recursive: true });
});

const withoutToken = (change: string) => change.replace('/new-token', '/***');

/** What one call of the approve_command was handed. */
function changesIn(line: string): readonly string[] {
  const { changes }: { changes: readonly { readonly method: string; readonly url: string }[] } = JSON.parse(line);
  return changes.map(({ method, url }) => `${method} ${new URL(url).pathname.replace('/api/3', '')}`);
}

interface Event {
  readonly event: string;
  readonly outcome?: string;
  readonly undo?: readonly CommandLine[];
}

/** `sent answered:done`: the events of the journal in order; and what it says would undo the change. */
function journalOf(state: string): { readonly journal: string; readonly undo: readonly CommandLine[] | undefined } {
  const events = linesOf(join(state, 'stackops', 'journal.jsonl')).map((line): Event => JSON.parse(line));
  const states = events.filter(({ event }) => event !== 'undoable');
  return {
    journal: states.map(({ event, outcome }) => (outcome ? `${event}:${outcome}` : event)).join(' '),
    undo: events.find(({ event }) => event === 'undoable')?.undo,
  };
}

function linesOf(file: string): readonly string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
}

/** `127.0.0.1:4711` is another port every time. */
const plain = (text: string) => text.replaceAll(/127\.0\.0\.1:\d+/g, 'HOST');

const maybe =
  /^error: outcome unknown; the change may have been applied: (.+)\nhint: (stackops .+|no command can check this; .+)\n$/;
const lost = 'HOST closed the connection before the response was complete (UND_ERR_SOCKET)';

/** What a run must show whose change was made and whose answer was lost. */
function expectLost(got: Awaited<ReturnType<typeof meet>>, { cut }: Write, why: string): void {
  const stderr = plain(got.stderr);
  expect({ code: got.code, sent: got.sent }).toEqual({ code: cut, sent: 1 });
  if (cut === 11) {
    expect(got.stdout).toBe('');
    expect(maybe.exec(stderr)?.[1]).toBe(why);
    expect(got.journal).toBe('sent answered:unknown');
  } else {
    expect(got.stdout).not.toBe('');
    expect(stderr).toContain(`warning: ${why}; checked afterwards:`);
    expect(got.journal).toBe('sent answered:unknown answered:confirmed');
  }
}

/** A write that is simply answered, and what the journal held when it arrived. */
async function meetAnswer(write: Write) {
  const held: string[] = [];
  const onChange = (state: string) => void held.push(journalOf(state).journal);
  return { ...(await meet(write, { mode: 'answer', onChange })), held };
}

describe.each(writes.map((write) => ({ name: write.words.join(' '), write })))('$name', ({ write }) => {
  let answered: ReturnType<typeof meetAnswer> | undefined;
  const answer = () => {
    answered ??= meetAnswer(write);
    return answered;
  };

  test('the journal holds it before it arrives', async () => {
    expect((await answer()).held).toEqual(['sent']);
  });

  test('done', async () => {
    const got = await answer();
    expect(got).toMatchObject({ code: 0, sent: 1 });
    expect(got.stdout).not.toBe('');
    expect(got.stderr).toMatch(/^(undo: stackops .+\n|)(read its password: stackops .+\n|)$/);
    expect(got.journal).toMatch(/^sent answered:(done|queued)( ended:succeeded)?$/);
    const shown = /^undo: (.+)\n/.exec(got.stderr)?.[1];
    // The journal has the value of a variable, whose history may be gone by then.
    const byHistory = (line: string) =>
      shown?.includes(' rollback ') ? line.replace(/set (\w+)=\S+/, 'rollback $1') : line;
    expect(got.undo && byHistory(commandText(got.undo) ?? '')).toBe(shown);
  });

  test('refused', async () => {
    const got = await meet(write, { mode: 'refuse' });
    expect({ ...got, stdout: '', readsBefore: 0, readsAfter: 0 }).toEqual({
      code: 6,
      stdout: '',
      stderr: 'error: the service refused the request (422): not like this\n',
      sent: 1,
      readsBefore: 0,
      readsAfter: 0,
      journal: 'sent answered:refused',
    });
    expect(got.stdout).toBe(write.words[0] === 'api' ? '{"error":"x","details":"not like this"}\n' : '');
  });

  test('5xx: not made, and nobody can know', async () => {
    const got = await meet(write, { mode: 'break' });
    expect(got).toMatchObject({ code: 11, sent: 1, journal: 'sent answered:unknown' });
    expect(maybe.exec(got.stderr)?.[1]).toBe('the service failed (503): out of order');
  });

  test('cut after it was made', async () => {
    expectLost(await meet(write, { mode: 'cut' }), write, lost);
  });

  test('Ctrl-C before', async () => {
    const stop = new AbortController();
    const reads = await answer();
    if (reads.readsBefore === 0) stop.abort('SIGINT');
    const got = await meet(write, { mode: 'answer', signal: stop.signal, onRead: () => stop.abort('SIGINT') });
    expect(got).toMatchObject({ code: 130, stdout: '', sent: 0 });
    expect(got.stderr).toBe(`error: interrupted${unchanged}\n`);
    expect(got.journal).toBe(reads.readsBefore === 0 ? 'sent answered:not_sent' : '');
  });

  test('Ctrl-C during: the answer is waited for and told', async () => {
    const stop = new AbortController();
    const got = await meet(write, { mode: 'answer', signal: stop.signal, onChange: () => stop.abort('SIGINT') });
    expect(got).toMatchObject({ sent: 1 });
    expect(got.stdout + got.stderr).not.toContain(unchanged);
    expect(got.journal).toMatch(/^sent answered:(done|queued)( ended:interrupted)?$/);
    if (got.journal === 'sent answered:done') expect(got.stdout).not.toBe('');
  });

  test('with nobody to ask: 2, nothing is sent, and the same command with the flag is told', async () => {
    const flags = / (-y|--confirm \S+)(?= |$)/.exec(write.words.join(' '))?.[1];
    if (flags === undefined) return expect(await answer()).toMatchObject({ code: 0 });
    const bare = write.words.join(' ').replace(` ${flags}`, '').split(' ');
    const got = await meet({ ...write, words: bare }, { mode: 'answer' });
    expect(got).toMatchObject({ code: 2, stdout: '', sent: 0, journal: '' });
    expect(got.stderr).toContain(`hint: stackops ${bare.join(' ')} `);
    expect(got.stderr).toMatch(new RegExp(` ${flags}\n$`));
  });

  test('of a protected profile: 2 without a typed name, and nothing is sent', async () => {
    const words = write.words
      .join(' ')
      .replace(/ --confirm \S+/, '')
      .split(' ');
    const got = await meet({ ...write, words }, { mode: 'answer', isProtected: true });
    expect(got).toMatchObject({ code: 2, stdout: '', sent: 0, journal: '' });
    expect(got.stderr).toMatch(
      /needs --confirm \S+ \(protected profile, no terminal\);.*\n(hint: stackops .* --confirm \S+\n)?$/,
    );
  });

  test('not approved: 5, and nothing is sent, whatever flag confirms it', async () => {
    const got = await meet(write, { mode: 'answer', approval: 1 });
    expect(got).toMatchObject({ code: 5, stdout: '', sent: 0, journal: '' });
    expect(got.stderr).toMatch(/^(warning: .+\n)?waiting for approval .+\nerror: not approved: .+;.*\nhint: .+\n$/);
    expect(got.calls).toHaveLength(1);
  });

  test('approved: what was shown is what is sent', async () => {
    const got = await meet(write, { mode: 'answer', approval: 0 });
    expect(got).toMatchObject({ code: 0, sent: 1 });
    expect(got.calls).toEqual([got.arrived]);
  });

  if (!write.waits) {
    test('waited for: its answer is the result', async () => {
      const got = await meet(write, { mode: 'answer', more: ['--wait'] });
      expect(got).toMatchObject({ code: 0, sent: 1 });
      expect(got.journal).toMatch(/^sent answered:(done|queued)$/);
      expect(got.stdout).not.toBe('');
    });
    return;
  }

  test('waited for', async () => {
    const got = await meet(write, { mode: 'answer', more: ['--wait'] });
    expect(got).toMatchObject({ code: 0, sent: 1 });
    expect(got.journal).toMatch(/^sent answered:(done|queued) ended:succeeded$/);
    expect(got.stdout).not.toBe('');
    expect(got.stderr).toMatch(/^12:00:0\d .+: .+\n/);
  });

  test('Ctrl-C while waiting', async () => {
    const stop = new AbortController();
    const onRead = (after: number): void => {
      if (after === 1) stop.abort('SIGINT');
    };
    const got = await meet(write, { mode: 'answer', more: ['--wait'], signal: stop.signal, onRead });
    expect(got).toMatchObject({ code: 130, stdout: '', sent: 1 });
    expect(got.journal).toMatch(/^sent answered:(done|queued) ended:interrupted$/);
    expect(got.stderr).toMatch(/error: stopped waiting; .+ continues\nhint: stackops (action|deployment|backup) .+\n$/);
  });
});

test('no answer within the time limit: as if it had been cut, and never sent again', async () => {
  const time = holdTime();
  for (const write of writes) {
    const got = await meet(write, { mode: 'hang', onHang: () => time.passes(3000), more: ['--timeout', '3s'] });
    expectLost(got, write, 'no response within the timeout of 3 s');
  }
});
