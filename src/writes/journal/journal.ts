import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Context } from '../../contract/command.ts';
import type { CommandLine } from '../../contract/command-line.ts';
import type { ReplacedValue } from '../../contract/plan.ts';
import { jsonText } from '../../contract/values/json.ts';
import { CliError, tryOrWarn } from '../../errors/cli-error.ts';
import { appendLine } from '../../files/append-line.ts';
import type { Folders } from '../../files/folders.ts';
import { ownPid } from '../../files/identity.ts';
import type { PrivacyOptions } from '../../files/own-file.ts';
import { isOpenChange, type JournalRun } from './entries.ts';
import type { JournalEvent, RecordedAnswer, RecordedEnd, SentChange } from './event.ts';
import { type HashKey, type HashKeys, hashReplacedValue, loadCrypto } from './hash-keys.ts';

/** Adds journal lines about a change that was sent. A line that cannot be written is a warning. */
export interface EntryWriter {
  /** Called after the answer, and again if a check finds the outcome of a lost answer. The last line counts. */
  recordAnswer(answer: RecordedAnswer): Promise<void>;
  recordEnd(end: RecordedEnd): Promise<void>;
  recordUndo(undo: readonly CommandLine[]): Promise<void>;
}

export interface Journal {
  /** Called before the change is sent. Throws `usage` if the journal is required and cannot be written. */
  begin(change: SentChange, replacedValues?: readonly ReplacedValue[]): Promise<EntryWriter>;
}

export interface JournalParts extends Pick<Context, 'now' | 'warn'> {
  /** Returns the path of the journal; called when a line is written. Throws `usage` without a usable state folder. */
  readonly file: () => string;
  readonly keys: HashKeys;
  /** True if no change may be sent without a journal line. */
  readonly isJournalRequired: boolean;
}

/** Returns the path of the journal. The sandbox has another journal. */
export function journalPath({ state }: Folders, isSandbox: boolean): string {
  return join(state, isSandbox ? 'journal-sandbox.jsonl' : 'journal.jsonl');
}

/** Returns a journal that records the changes of one run in a private file. The first change opens the file. */
export function openJournal(parts: JournalParts): Journal {
  const { keys, now, warn } = parts;
  const writeEvent = createEventWriter(parts);
  let pendingHashKey: Promise<HashKey | undefined> | undefined;
  // If no key can be read or made, the change is recorded without hashes.
  const findHashKey = () => tryOrWarn(warn, '"history undo" cannot undo this', keys.findOrCreateToday);
  let firstChangeId: string | undefined;
  return {
    begin: async (change, replacements = []) => {
      const replacedValues = replacements.filter(({ before, after }) => !isDeepStrictEqual(before, after));
      pendingHashKey ??= replacedValues.length > 0 ? findHashKey() : undefined;
      const key = await pendingHashKey;
      const id = loadCrypto().randomUUID();
      const ids = { id, ...(firstChangeId !== undefined && { run: firstChangeId }) };
      const newEventStamp = () => ({ ...ids, at: now().toISOString() });
      // Set before the line is written, because other changes of the run may begin meanwhile.
      firstChangeId ??= id;
      const sentEvent = { event: 'sent', ...newEventStamp(), ...change, pid: ownPid } as const;
      const values = key ? replacedValues.map((one) => hashReplacedValue(sentEvent, one, key)) : [];
      const [value, ...more] = values;
      const isWritten = await writeEvent({ ...sentEvent, ...(more.length > 0 ? { values } : value && { value }) });
      if (!isWritten) {
        if (firstChangeId === id) firstChangeId = undefined;
        return nullEntryWriter;
      }
      return {
        recordAnswer: async (answer) => void (await writeEvent({ event: 'answered', ...newEventStamp(), ...answer })),
        recordEnd: async (end) => void (await writeEvent({ event: 'ended', ...newEventStamp(), ...end })),
        recordUndo: async (undo) => void (await writeEvent({ event: 'undoable', ...newEventStamp(), undo })),
      };
    },
  };
}

type EventWriter = (event: JournalEvent) => Promise<boolean>;

function createEventWriter({ file, keys, warn, isJournalRequired }: JournalParts): EventWriter {
  let hasWarned = false;
  const privacy = { warn, onExposed: keys.deleteKeys };
  const writeNow: EventWriter = async (event) => {
    try {
      await appendLine(file(), jsonText(event), privacy);
      return true;
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      if (isJournalRequired && event.event === 'sent') throw nothingSentError(error);
      if (!hasWarned) warn(`changes are not recorded in the journal: ${error.message}`);
      hasWarned = true;
      return false;
    }
  };
  let lastWrite: Promise<unknown> = Promise.resolve();
  // Lines are written one after another, so the first line of a run is the line of its first change.
  return (event) => {
    const pendingWrite = lastWrite.then(() => writeNow(event));
    lastWrite = pendingWrite.catch(() => undefined);
    return pendingWrite;
  };
}

const nullEntryWriter: EntryWriter = {
  recordAnswer: async () => undefined,
  recordEnd: async () => undefined,
  recordUndo: async () => undefined,
};

type CloseOptions = Pick<JournalParts, 'now'> & PrivacyOptions;

/** Records the open changes of a run as closed. Throws `usage` or `internal` if the file cannot be written. */
export async function closeRun(file: string, { changes }: JournalRun, options: CloseOptions): Promise<void> {
  const { now, ...privacy } = options;
  for (const change of changes.filter(isOpenChange)) {
    const { id, run } = change.sent;
    const eventStamp = { id, ...(run !== undefined && { run }), at: now().toISOString() };
    const event: JournalEvent = { event: 'ended', ...eventStamp, outcome: 'closed' };
    await appendLine(file, JSON.stringify(event), privacy);
  }
}

export const nullJournal: Journal = { begin: async () => nullEntryWriter };

function nothingSentError(cause: CliError): CliError {
  return new CliError('usage', `not sent: the change could not be recorded in the journal: ${cause.message}`, {
    hint: cause.details.hint ?? 'to send changes that cannot be recorded: export STACKOPS_JOURNAL=on',
    cause,
  });
}
