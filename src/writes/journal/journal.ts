import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Context } from '../../contract/command.ts';
import type { CommandLine } from '../../contract/command-line.ts';
import type { ReplacedValue } from '../../contract/plan.ts';
import { CliError } from '../../errors/cli-error.ts';
import { tryOrWarn } from '../../errors/try-or-warn.ts';
import { appendLine } from '../../files/append-line.ts';
import type { Folders } from '../../files/folders.ts';
import { ownPid } from '../../files/identity.ts';
import type { Secrecy } from '../../files/own-file.ts';
import { isOpen, type JournalRun } from './entries.ts';
import type { Answer, End, JournalEvent, SentChange } from './event.ts';
import { crypto, type HashKey, type HashKeys, hashedValue } from './hash-keys.ts';

/** The record of one change. Its methods never throw: what was sent cannot be taken back for want of a line. */
export interface Entry {
  /** Call it once there is an answer, and again when a check settles an unknown one: the last call counts. */
  answered(answer: Answer): Promise<void>;
  ended(end: End): Promise<void>;
  undoneBy(undo: readonly CommandLine[]): Promise<void>;
}

export interface Journal {
  /** Call it before the change leaves. Throws usage when the journal is required and cannot be written. */
  begin(change: SentChange, replaced?: readonly ReplacedValue[]): Promise<Entry>;
}

export interface JournalParts extends Pick<Context, 'now' | 'warn'> {
  /** Asked at the first change: a machine without a place for files is one with an unwritable journal. */
  readonly file: () => string;
  readonly keys: HashKeys;
  /** Without a record nothing may be sent. */
  readonly required: boolean;
}

/** The journal's file; the sandbox has its own. */
export function journalFile({ state }: Folders, isSandbox: boolean): string {
  return join(state, isSandbox ? 'journal-sandbox.jsonl' : 'journal.jsonl');
}

/** Keeps a record of the changes of one run in a file that only we can read; nothing is touched before the first one. */
export function openJournal(parts: JournalParts): Journal {
  const { keys, now, warn } = parts;
  const write = eventWriter(parts);
  let hashKey: Promise<HashKey | undefined> | undefined;
  // Without a key the change is recorded all the same.
  const findKey = () => tryOrWarn(warn, '"history undo" cannot undo this', keys.ofToday);
  let run: string | undefined;
  return {
    begin: async (change, asked = []) => {
      const replaced = asked.filter(({ before, after }) => !isDeepStrictEqual(before, after));
      hashKey ??= replaced.length > 0 ? findKey() : undefined;
      const key = await hashKey;
      const id = crypto().randomUUID();
      const identity = { id, ...(run !== undefined && { run }) };
      const stamp = () => ({ ...identity, at: now().toISOString() });
      // Before the line is written: others may begin meanwhile.
      run ??= id;
      const sent = { event: 'sent', ...stamp(), ...change, pid: ownPid } as const;
      const values = key ? replaced.map((one) => hashedValue(sent, one, key)) : [];
      const [value, ...others] = values;
      const kept = others.length > 0 ? { values } : value && { value };
      const isKept = await write({ ...sent, ...kept });
      if (!isKept) {
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

/** Resolves with false when the line could not be written, which is said once. */
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
  // One line after another, however many changes are under way: a run begins with its first change.
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

/** Takes the open changes of a run off the list. Throws usage or internal when the file cannot be written. */
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
