import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { findFolders } from '../../../src/files/folders.ts';
import { journalPath, nullJournal } from '../../../src/writes/journal/journal.ts';
import { freshFolder, modeOf } from '../files/folder.ts';
import { done, eventsIn, journalAt, sentChange, stack } from './journal-file.ts';

let folder = '';
let file = '';
beforeEach(() => {
  folder = join(freshFolder(), 'state', 'stackops');
  file = join(folder, 'journal.jsonl');
});

describe('journal', () => {
  it('lies in the state folder; the sandbox has its own', () => {
    const folders = findFolders({ HOME: '/home/anna' }, 'posix');
    expect(journalPath(folders, false)).toBe('/home/anna/.local/state/stackops/journal.jsonl');
    expect(journalPath(folders, true)).toBe('/home/anna/.local/state/stackops/journal-sandbox.jsonl');
  });

  it('touches nothing before the first change', () => {
    journalAt(file);
    expect(existsSync(folder)).toBe(false);
  });

  it('has the change on the disk, for us alone, before the answer comes', async () => {
    const { journal } = journalAt(file);
    await journal.begin(sentChange);
    expect(eventsIn(file)).toEqual([{ event: 'sent', id: 'one', at: '2026-05-04T11:00:00.000Z', ...sentChange }]);
    expect(JSON.parse(readFileSync(file, 'utf8')).pid).toBe(process.pid);
    expect([modeOf(file), modeOf(folder)]).toEqual(['600', '700']);
  });

  it('adds the answer, what settled it, and the end', async () => {
    const { journal, warnings } = journalAt(file);
    const [one, two] = [
      await journal.begin(sentChange),
      await journal.begin({ ...sentChange, command: ['redeploy', '-y'] }),
    ];
    await two.recordAnswer({ outcome: 'unknown', exit_code: 11 });
    await one.recordAnswer({ ...done, reference: 'action 812' });
    await two.recordAnswer({ outcome: 'confirmed' });
    await one.recordEnd({ outcome: 'succeeded' });
    await one.recordUndo([{ path: 'variant weight', operands: ['va-canary', '0'], stack_id: stack }]);
    expect(eventsIn(file).map(({ event, id, at, outcome }) => [event, id, at, outcome])).toEqual([
      ['sent', 'one', '2026-05-04T11:00:00.000Z', undefined],
      ['sent', 'two', '2026-05-04T11:00:01.000Z', undefined],
      ['answered', 'two', '2026-05-04T11:00:02.000Z', 'unknown'],
      ['answered', 'one', '2026-05-04T11:00:03.000Z', 'done'],
      ['answered', 'two', '2026-05-04T11:00:04.000Z', 'confirmed'],
      ['ended', 'one', '2026-05-04T11:00:05.000Z', 'succeeded'],
      ['undoable', 'one', '2026-05-04T11:00:06.000Z', undefined],
    ]);
    expect(warnings).toEqual([]);
  });

  it('writes nothing when it is off', async () => {
    const entry = await nullJournal.begin(sentChange);
    await entry.recordAnswer(done);
    await entry.recordEnd({ outcome: 'failed' });
    expect(existsSync(folder)).toBe(false);
  });
});

describe('an unwritable journal', () => {
  const reason = () => `cannot write ${folder}: a part of the path is not a folder (ENOTDIR)`;
  beforeEach(() => {
    mkdirSync(join(folder, '..'));
    writeFileSync(folder, '');
  });

  it('is warned of once, and the run continues', async () => {
    const { journal, warnings } = journalAt(file);
    for (let round = 0; round < 2; round++) {
      const entry = await journal.begin(sentChange);
      await entry.recordAnswer(done);
    }
    expect(warnings).toEqual([`changes are not recorded in the journal: ${reason()}`]);
  });

  it('stops the change before it is sent when a record is required', async () => {
    const { journal, warnings } = journalAt(file, { isJournalRequired: true });
    await expect(journal.begin(sentChange)).rejects.toThrow(
      expect.objectContaining({
        kind: 'usage',
        message: `not sent: the change could not be recorded in the journal: ${reason()}`,
        details: expect.objectContaining({
          hint: 'to send changes that cannot be recorded: export STACKOPS_JOURNAL=on',
        }),
      }),
    );
    expect(warnings).toEqual([]);
  });

  it('is also one that has no place', async () => {
    const noPlace = () => findFolders({}, 'posix').state;
    const { journal, warnings } = journalAt(file, { file: noPlace });
    await journal.begin(sentChange);
    expect(warnings).toEqual([
      'changes are not recorded in the journal: no folder for the files of stackops: HOME is not set',
    ]);
  });
});

describe('a journal that breaks after the change was sent', () => {
  it.each([false, true])('is warned of and throws nothing (required: %s)', async (required) => {
    const { journal, warnings } = journalAt(file, { isJournalRequired: required });
    const entry = await journal.begin(sentChange);
    rmSync(file);
    mkdirSync(file);
    await entry.recordAnswer(done);
    await entry.recordEnd({ outcome: 'succeeded' });
    expect(warnings).toEqual([
      `changes are not recorded in the journal: cannot write ${file}: it is a folder (EISDIR)`,
    ]);
  });
});
