import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createReporter } from '../../../src/commands/variant/ramp/report.ts';
import type { Context } from '../../../src/contract/command.ts';
import { temporaryFolder } from '../../support/stackops.ts';

/** A reporter whose event program is this script, and what it warns of. */
function reporterFor(script: string, more: Partial<Context> = {}, deadline = () => new AbortController().signal) {
  const warnings: string[] = [];
  const context = {
    warn: (line: string) => warnings.push(line),
    now: () => new Date(0),
    printEvent: async () => undefined,
    deadline,
    host: {
      programs: { env: process.env },
      platform: 'linux',
      redact: (text: string) => text.replaceAll('hunter22', '***'),
    },
    ...more,
  } as unknown as Context;
  return {
    reporter: createReporter(context, { commandLine: ['sh', '-c', script], env: () => ({}) }),
    warnings,
  };
}

/** What a reporter says whose event program is this script. */
async function tell(script: string, reasons: readonly string[], deadline: () => AbortSignal) {
  const { reporter, warnings } = reporterFor(script, {}, deadline);
  for (const reason of reasons) reporter.emit('check', { reason });
  await reporter.finish();
  return warnings;
}

test('a slow program keeps no line of the output back, and is told of all once it is over', async () => {
  const file = join(temporaryFolder(), 'events');
  const go = join(temporaryFolder(), 'go');
  const shown: unknown[] = [];
  const { reporter, warnings } = reporterFor(`while [ ! -e ${go} ]; do sleep 0.01; done; cat >> ${file}`, {
    printEvent: async (row) => void shown.push(row['reason']),
  });
  for (const reason of ['a', 'b']) reporter.emit('check', { reason });
  await expect.poll(() => shown).toEqual(['a', 'b']);
  writeFileSync(go, '');
  await reporter.finish();
  expect(readFileSync(file, 'utf8').trimEnd().split('\n')).toHaveLength(2);
  expect(warnings).toEqual([]);
});

test('no more than 100 events wait for a slow program; what is left out is told', async () => {
  const file = join(temporaryFolder(), 'events');
  const { reporter, warnings } = reporterFor(`cat >> ${file}`);
  for (let count = 0; count < 150; count += 1) reporter.emit('check', { reason: String(count) });
  reporter.emit('ended', {});
  await reporter.finish();
  const told = readFileSync(file, 'utf8').trimEnd().split('\n');
  expect([told.length, told.at(-1)?.includes('"ended"')]).toEqual([101, true]);
  expect(warnings).toEqual(['--on-event is slower than the ramp: 50 checks were not passed on']);
});

test('a program that hangs is told of no more events, so that nobody waits for it again and again', async () => {
  const file = join(temporaryFolder(), 'begun');
  const warnings = await tell(`echo x >> ${file}; exec sleep 60`, ['a', 'b', 'c'], () => AbortSignal.timeout(200));
  expect(warnings).toEqual(['--on-event took longer than 30 s; no more events are passed on']);
  expect(existsSync(file) ? readFileSync(file, 'utf8') : '').toMatch(/^(x\n)?$/);
});

test('an event that cannot be passed on is a warning, and the next one is passed on', async () => {
  const file = join(temporaryFolder(), 'events');
  const { reporter, warnings } = reporterFor(`cat >> ${file}`);
  reporter.emit('check', { share: 1n as never });
  reporter.emit('ended', {});
  await reporter.finish();
  expect(warnings).toEqual(['event not passed on: a bug in stackops']);
  expect(JSON.parse(readFileSync(file, 'utf8')).event).toBe('ended');
});

test('no secret that a check printed is handed on', async () => {
  const file = join(temporaryFolder(), 'events');
  await tell(`cat > ${file}`, ['exit code 1\nhunter22'], () => new AbortController().signal);
  expect(JSON.parse(readFileSync(file, 'utf8')).reason).toBe('exit code 1\n***');
});
