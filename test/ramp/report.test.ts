import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createReporter } from '../../src/commands/variant/ramp/report.ts';
import type { RampContext, RampServices } from '../../src/commands/variant/ramp/services.ts';
import { temporaryFolder } from '../support/stackops.ts';

/** What a reporter says whose event program is this script. */
async function tell(script: string, reasons: readonly string[], deadline: () => AbortSignal) {
  const warnings: string[] = [];
  const context = {
    event: async () => undefined,
    warn: (line: string) => warnings.push(line),
    now: () => new Date(0),
  } as unknown as RampContext;
  const services = {
    env: process.env,
    platform: 'linux',
    signalGroup: undefined,
    deadline,
    redact: (text: string) => text.replaceAll('hunter22', '***'),
  } satisfies Partial<RampServices>;
  const reporter = createReporter(context, services, { commandLine: ['sh', '-c', script], env: () => ({}) });
  for (const reason of reasons) reporter.tell('check', { reason });
  await reporter.finished();
  return warnings;
}

test('a program that hangs is told of no more events, so that nobody waits for it again and again', async () => {
  const file = join(temporaryFolder(), 'begun');
  const warnings = await tell(`echo x >> ${file}; exec sleep 60`, ['a', 'b', 'c'], () => AbortSignal.timeout(200));
  expect(warnings).toEqual(['--on-event took longer than 30 s; no more events are passed on']);
  expect(existsSync(file) ? readFileSync(file, 'utf8') : '').toMatch(/^(x\n)?$/);
});

test('no secret that a check printed is handed on', async () => {
  const file = join(temporaryFolder(), 'events');
  await tell(`cat > ${file}`, ['exit code 1\nhunter22'], () => new AbortController().signal);
  expect(JSON.parse(readFileSync(file, 'utf8')).reason).toBe('exit code 1\n***');
});
