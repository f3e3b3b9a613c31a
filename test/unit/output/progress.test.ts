import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createProgress } from '../../../src/output/progress.ts';
import type { Stderr } from '../../../src/output/safe/create-output.ts';
import { watchedGate } from '../../support/gate.ts';

/** A stream that calls itself a terminal and writes cursor moves as words. */
class Screen extends PassThrough {
  readonly isTTY = true;
  readonly columns = 80;
  cursorTo(): void {
    this.write('<start>');
  }
  clearLine(): void {
    this.write('<clear>');
  }
  moveCursor(): void {
    this.write('<move>');
  }
}

function screen(): { readonly stream: Screen; readonly err: Stderr; text(): string } {
  const stream = new Screen({ encoding: 'utf8' });
  const chunks: string[] = [];
  stream.on('data', (chunk: string) => chunks.push(chunk));
  return { stream, err: watchedGate({ terminal: true, width: 80, raw: stream }).err, text: () => chunks.join('') };
}

const usual = { terminal: true, colour: false, quiet: false };

test('a spinner appears after the delay and is gone when the work is done', async () => {
  const { stream, err, text } = screen();
  const progress = createProgress({ ...usual, err, delayMs: 0 });
  const done = await progress.during('Listing va\x1briants', async () => {
    await once(stream, 'data');
    return 'done';
  });
  expect(done).toBe('done');
  expect(text()).toContain(' Listing va\\x1briants');
  expect(text()).toMatch(/<clear>$/);
  expect(text()).not.toContain('\x1b[?25');
});

test('short work leaves no trace', async () => {
  const { err, text } = screen();
  const progress = createProgress({ ...usual, err });
  expect(await progress.during('Listing', async () => 1)).toBe(1);
  expect(text()).toBe('');
});

test('an error goes on, and the spinner goes', async () => {
  const { stream, err, text } = screen();
  const progress = createProgress({ ...usual, err, delayMs: 0 });
  const work = progress.during('Listing', async () => {
    await once(stream, 'data');
    throw new RangeError('no');
  });
  await expect(work).rejects.toThrow('no');
  expect(text()).toMatch(/<clear>$/);
});

test('a pause clears the line for a prompt, and the spinner comes back', async () => {
  const { stream, err, text } = screen();
  const progress = createProgress({ ...usual, err, delayMs: 0 });
  await progress.during('Deleting', async () => {
    await once(stream, 'data');
    progress.pause();
    expect(text()).toMatch(/<clear>$/);
    stream.write('Sure? ');
    progress.resume();
    await once(stream, 'data');
  });
  expect(text()).toMatch(/<clear>Sure\? .* Deleting.*<clear>$/s);
});

test('a stopped progress stays silent', async () => {
  const { stream, err, text } = screen();
  const progress = createProgress({ ...usual, err, delayMs: 0 });
  await progress.during('Deleting', async () => {
    await once(stream, 'data');
    progress.stop();
  });
  const before = text();
  await progress.during('More', async () => 1);
  expect(text()).toBe(before);
});

test('the spinner outlives the first of two works', async () => {
  const { stream, err, text } = screen();
  const progress = createProgress({ ...usual, err, delayMs: 0 });
  const first = progress.during('One', () => once(stream, 'data'));
  const second = progress.during('Two', async () => {
    await first;
    expect(text()).not.toMatch(/<clear>$/);
  });
  await second;
  expect(text()).toMatch(/ Two.*<clear>$/s);
});

test('no terminal: a line for each heartbeat, no escapes', async () => {
  const { stream, err, text } = screen();
  const progress = createProgress({ ...usual, terminal: false, err, heartbeatMs: 1000 / 64 });
  await progress.during('Waiting for action 812', () => once(stream, 'data'));
  expect(text()).toMatch(/^(Waiting for action 812: \d+ s so far\n)+$/);
});

test('there is one each 60 s', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { err, text } = screen();
  const progress = createProgress({ ...usual, terminal: false, err });
  const work = progress.during('Waiting', () => new Promise((resolve) => setTimeout(resolve, 150_000)));
  await vi.advanceTimersByTimeAsync(59_999);
  expect(text()).toBe('');
  await vi.advanceTimersByTimeAsync(90_001);
  await work;
  expect(text()).toBe('Waiting: 60 s so far\nWaiting: 120 s so far\n');
});

test('where stderr is read as JSON a heartbeat is an object', async () => {
  const { stream, err, text } = screen();
  const progress = createProgress({ ...usual, terminal: false, json: true, err, heartbeatMs: 1000 / 64 });
  await progress.during('Waiting for action 812', () => once(stream, 'data'));
  expect(text()).toMatch(/^(\{"progress":"Waiting for action 812: \d+ s so far"\}\n)+$/);
});

test('quiet is silent', async () => {
  const { err, text } = screen();
  const progress = createProgress({ ...usual, quiet: true, terminal: false, err, heartbeatMs: 1 });
  await progress.during('Waiting', () => new Promise((resolve) => setImmediate(resolve)));
  expect(text()).toBe('');
});
