import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Context } from '../../contract/command.ts';
import type { CommandLine } from '../../contract/command-line.ts';
import type { ReplacedValue } from '../../contract/plan.ts';
import { CliError, tryOrWarn } from '../../errors/cli-error.ts';
import { appendLine } from '../../files/append-line.ts';
import type { Folders } from '../../files/folders.ts';
import { ownPid } from '../../files/identity.ts';
import type { Secrecy } from '../../files/own-file.ts';
import { isOpen, type JournalRun } from './entries.ts';
import type { End, JournalEvent, RecordedAnswer, SentChange } from './event.ts';
import { crypto, type HashKey, type HashKeys, hashedValue } from './hash-keys.ts';

/** The record of one change. Its methods never throw, because a sent change cannot be taken back. */
export interface Entry {
  /** Call it after the answer, and again when a check settles an unknown outcome: the last call counts. */
  answered(answer: RecordedAnswer): Promise<void>;
  ended(end: End): Promise<void>;
  undoneBy(undo: readonly CommandLine[]): Promise<void>;
}

export interface Journal {
  /** Call it before the change is sent. Throws usage when the journal is required and cannot be written. */
  begin(change: SentChange, replaced?: readonly ReplacedValue[]): Promise<Entry>;
}

export interface JournalParts extends Pick<Context, 'now' | 'warn'> {
  /** Called at the first change. A machine without a folder for files has an unwritable journal. */
  readonly file: () => string;
  readonly keys: HashKeys;
  /** True when no change may be sent without a record. */
  readonly required: boolean;
}

/** Returns the journal's file; the sandbox has its own. */
export function journalFile({ state }: Folders, isSandbox: boolean): string {
  return join(state, isSandbox ? 'journal-sandbox.jsonl' : 'journal.jsonl');
}

/** Records the changes of one run in a private file; touches no file before the first change. */
export function openJournal(parts: JournalParts): Journal {
  const { keys, now, warn } = parts;
  const write = eventWriter(parts);
  let hashKey: Promise<HashKey | undefined> | undefined;
  // The change is recorded without a key too.
  const findKey = () => tryOrWarn(warn, '"history undo" cannot undo this', keys.ofToday);
  let run: string | undefined;
  return {
    begin: async (change, values = []) => {
      const replaced = values.filter(({ before, after }) => !isDeepStrictEqual(before, after));
      hashKey ??= replaced.length > 0 ? findKey() : undefined;
      const key = await hashKey;
      const id = crypto().randomUUID();
      const identity = { id, ...(run !== undefined && { run }) };
      const stamp = () => ({ ...identity, at: now().toISOString() });
      // Set before the line is written: other changes of the run may begin meanwhile.
      run ??= id;
      const sent = { event: 'sent', ...stamp(), ...change, pid: ownPid } as const;
      const hashed = key ? replaced.map((one) => hashedValue(sent, one, key)) : [];
      const [value, ...others] = hashed;
      const hashes = others.length > 0 ? { values: hashed } : value && { value };
      const isWritten = await write({ ...sent, ...hashes });
      if (!isWritten) {
        if (run === id) run = undefined;
        return nullEntry;
      }
      return {
        answered: async (answer) => void (await write({ event: 'answered', ...stamp(), ...answer })),
        ended: async (end) => void (await write({ event: 'ended', ...stamp(), ...end })),
        undoneBy: async (undo) => void (await write({ event: 'undoable', ...stamp(), undo })),
      };
    },
  };
}

type WriteEvent = (event: JournalEvent) => Promise<boolean>;

function eventWriter({ file, keys, warn, required }: JournalParts): WriteEvent {
  let isBroken = false;
  const secrecy = { warn, exposed: keys.forget };
  const writeNow: WriteEvent = async (event) => {
    try {
      await appendLine(file(), JSON.stringify(event), secrecy);
      return true;
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      if (required && event.event === 'sent') throw nothingSent(error);
      if (!isBroken) warn(`changes are not recorded in the journal: ${error.message}`);
      isBroken = true;
      return false;
    }
  };
  let written: Promise<unknown> = Promise.resolve();
  // Lines are written one after another: a run begins with its first change.
  return (event) => {
    const writing = written.then(() => writeNow(event));
    written = writing.catch(() => undefined);
    return writing;
  };
}

const nullEntry: Entry = {
  answered: async () => undefined,
  ended: async () => undefined,
  undoneBy: async () => undefined,
};

/** Closes the open changes of a run. Throws usage or internal when the file cannot be written. */
export async function closeRun(
  file: string,
  { changes }: JournalRun,
  { now, ...secrecy }: Pick<JournalParts, 'now'> & Secrecy,
): Promise<void> {
  for (const change of changes.filter(isOpen)) {
    const { id, run } = change.sent;
    const stamp = { id, ...(run !== undefined && { run }), at: now().toISOString() };
    const event: JournalEvent = { event: 'ended', ...stamp, outcome: 'closed' };
    await appendLine(file, JSON.stringify(event), secrecy);
  }
}

export const nullJournal: Journal = { begin: async () => nullEntry };

function nothingSent(cause: CliError): CliError {
  return new CliError('usage', `not sent: the change could not be recorded in the journal: ${cause.message}`, {
    hint: cause.details.hint ?? 'to send changes that cannot be recorded: export STACKOPS_JOURNAL=on',
    cause,
  });
}
