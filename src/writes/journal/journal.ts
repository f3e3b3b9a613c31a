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
import { isOpen, type JournalRun } from './entries.ts';
import type { End, JournalEvent, RecordedAnswer, SentChange } from './event.ts';
import { crypto, type HashKey, type HashKeys, hashedValue } from './hash-keys.ts';

/** Adds journal lines about a change that was sent. A line that cannot be written is a warning. */
export interface EntryWriter {
  /** Called after the answer, and again if a check finds the outcome of a lost answer. The last line counts. */
  answered(answer: RecordedAnswer): Promise<void>;
  ended(end: End): Promise<void>;
  recordUndo(undo: readonly CommandLine[]): Promise<void>;
}

export interface Journal {
  /** Called before the change is sent. Throws `usage` if the journal is required and cannot be written. */
  begin(change: SentChange, replaced?: readonly ReplacedValue[]): Promise<EntryWriter>;
}

export interface JournalParts extends Pick<Context, 'now' | 'warn'> {
  /** Returns the path of the journal; called when a line is written. Throws `usage` without a usable state folder. */
  readonly file: () => string;
  readonly keys: HashKeys;
  /** True if no change may be sent without a journal line. */
  readonly isRequired: boolean;
}

/** Returns the path of the journal. The sandbox has another journal. */
export function journalFile({ state }: Folders, isSandbox: boolean): string {
  return join(state, isSandbox ? 'journal-sandbox.jsonl' : 'journal.jsonl');
}

/** Returns a journal that records the changes of one run in a private file. The first change opens the file. */
export function openJournal(parts: JournalParts): Journal {
  const { keys, now, warn } = parts;
  const write = eventWriter(parts);
  let hashKey: Promise<HashKey | undefined> | undefined;
  // If no key can be read or made, the change is recorded without hashes.
  const findKey = () => tryOrWarn(warn, '"history undo" cannot undo this', keys.findOrCreateToday);
  let firstId: string | undefined;
  return {
    begin: async (change, replacements = []) => {
      const replaced = replacements.filter(({ before, after }) => !isDeepStrictEqual(before, after));
      hashKey ??= replaced.length > 0 ? findKey() : undefined;
      const key = await hashKey;
      const id = crypto().randomUUID();
      const ids = { id, ...(firstId !== undefined && { run: firstId }) };
      const stamp = () => ({ ...ids, at: now().toISOString() });
      // Set before the line is written, because other changes of the run may begin meanwhile.
      firstId ??= id;
      const sentEvent = { event: 'sent', ...stamp(), ...change, pid: ownPid } as const;
      const values = key ? replaced.map((one) => hashedValue(sentEvent, one, key)) : [];
      const [value, ...more] = values;
      const isWritten = await write({ ...sentEvent, ...(more.length > 0 ? { values } : value && { value }) });
      if (!isWritten) {
        if (firstId === id) firstId = undefined;
        return nullEntryWriter;
      }
      return {
        answered: async (answer) => void (await write({ event: 'answered', ...stamp(), ...answer })),
        ended: async (end) => void (await write({ event: 'ended', ...stamp(), ...end })),
        recordUndo: async (undo) => void (await write({ event: 'undoable', ...stamp(), undo })),
      };
    },
  };
}

type WriteEvent = (event: JournalEvent) => Promise<boolean>;

function eventWriter({ file, keys, warn, isRequired }: JournalParts): WriteEvent {
  let isBroken = false;
  const privacy = { warn, onExposed: keys.deleteKeys };
  const writeNow: WriteEvent = async (event) => {
    try {
      await appendLine(file(), jsonText(event), privacy);
      return true;
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      if (isRequired && event.event === 'sent') throw nothingSentError(error);
      if (!isBroken) warn(`changes are not recorded in the journal: ${error.message}`);
      isBroken = true;
      return false;
    }
  };
  let lastWrite: Promise<unknown> = Promise.resolve();
  // Lines are written one after another, so the first line of a run is the line of its first change.
  return (event) => {
    const write = lastWrite.then(() => writeNow(event));
    lastWrite = write.catch(() => undefined);
    return write;
  };
}

const nullEntryWriter: EntryWriter = {
  answered: async () => undefined,
  ended: async () => undefined,
  recordUndo: async () => undefined,
};

/** Records the open changes of a run as closed. Throws `usage` or `internal` if the file cannot be written. */
export async function closeRun(
  file: string,
  { changes }: JournalRun,
  { now, ...privacy }: Pick<JournalParts, 'now'> & PrivacyOptions,
): Promise<void> {
  for (const change of changes.filter(isOpen)) {
    const { id, run } = change.sent;
    const stamp = { id, ...(run !== undefined && { run }), at: now().toISOString() };
    const event: JournalEvent = { event: 'ended', ...stamp, outcome: 'closed' };
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
