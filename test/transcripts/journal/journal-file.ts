import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RecordedAnswer, SentChange } from '../../../src/writes/journal/event.ts';
import { openHashKeys } from '../../../src/writes/journal/hash-keys.ts';
import { type Journal, type JournalParts, openJournal } from '../../../src/writes/journal/journal.ts';

export const stack = '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';

/** A change as the sending of writes describes it. */
export const sentChange: SentChange = {
  profile: 'work',
  address: 'https://stacks.example.com/api/3',
  stack,
  command: ['variant', 'weight', 'va-canary', '25', '-s', 'shop'],
  operation: 'PUT /stacks/:stack_id/application_variants/:id',
  method: 'PUT',
  path: `/stacks/${stack}/application_variants/va-canary`,
  check: { path: 'variant list', stack_id: stack },
};
export const done: RecordedAnswer = { outcome: 'done', status: 200, exit_code: 0 };

/** A journal whose clock goes on by a second with every look, and what it warned of. */
export function journalAt(file: string, parts: Partial<JournalParts> = {}): { journal: Journal; warnings: string[] } {
  const warnings: string[] = [];
  let nowMs = Date.parse('2026-05-04T11:00:00Z');
  const now = () => {
    const at = new Date(nowMs);
    nowMs += 1000;
    return at;
  };
  const warn = (line: string) => void warnings.push(line);
  const keys = openHashKeys({ folders: () => ({ config: join(dirname(file), '..', 'config') }), now, warn });
  return {
    journal: openJournal({ file: () => file, keys, warn, isJournalRequired: false, now, ...parts }),
    warnings,
  };
}

/** The events of a file, each with `one` for the id of the first change, `two` for that of the second, and so on. */
export function eventsIn(file: string): readonly Readonly<Record<string, unknown>>[] {
  const ids: string[] = [];
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line) => {
    const { pid: _pid, ...event } = JSON.parse(line);
    if (!ids.includes(event.id)) ids.push(event.id);
    return { ...event, id: ['one', 'two', 'three'][ids.indexOf(event.id)] };
  });
}
