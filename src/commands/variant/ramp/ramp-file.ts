import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { CliError } from '../../../errors/cli-error.ts';
import { appendLine } from '../../../files/append-line.ts';
import { readJsonFile } from '../../../files/json-file.ts';
import { type HeldLock, lockHolder, takeHeldLock } from '../../../files/lock/held-lock.ts';
import { readOwnFile } from '../../../files/own-file.ts';
import { preparePrivateFolder } from '../../../files/private-folder.ts';
import { removeFile, removeLeftovers, replaceFile } from '../../../files/replace-file.ts';
import type { Stop } from './machine/state.ts';
import type { RampInput } from './options.ts';
import type { RampServices } from './services.ts';

/** What is known of a ramp on this machine: no token, and nothing that a check printed. */
export interface SavedRamp {
  readonly version: 1;
  readonly variant: string;
  readonly commit: string;
  /** Of the version that it replaces. */
  readonly active_commit: string | null;
  /** The newest one when it began; null where deployments could not be read. */
  readonly deployment: number | null;
  readonly started_at: string;
  readonly updated_at: string;
  readonly phase: 'setting' | 'soaking' | 'returning' | 'committing' | 'ended';
  readonly step: number;
  /** What the service showed last. */
  readonly share: number;
  readonly share_before: number;
  readonly ended?: string | undefined;
  readonly options: RampInput;
}

type Machine = Pick<RampServices, 'folders' | 'place' | 'stack'>;

/** The stack of the ramp that was begun with the same `-s`: no request is needed to find it. */
export function rampedStack(services: Machine, warn: (line: string) => void): string | undefined {
  return readOwnFile(wordFile(services), { warn });
}

function wordFile(services: Machine): string {
  return `${nameFor(services, services.stack() ?? '')}.stack`;
}

function nameFor({ folders, place }: Machine, stack: string): string {
  const digest = createHash('sha256').update(JSON.stringify([...place(), stack]));
  return join(folders().state, 'ramp', digest.digest('hex').slice(0, 16));
}

export type RampFiles = ReturnType<typeof rampFiles>;

/** The files of the ramp of a stack, for one address and account: its state, its lock, a request to it, what its checks print. */
export function rampFiles(
  services: Machine & Pick<RampServices, 'redact'>,
  stack_id: string,
  warn: (line: string) => void,
) {
  const name = nameFor(services, stack_id);
  const [file, requestFile, log] = [`${name}.json`, `${name}.request`, `${name}.log`];
  const secrecy = { warn };
  return {
    log,
    read: (): SavedRamp | undefined => {
      const saved = readJsonFile(file, secrecy);
      if (saved && saved['version'] !== 1) throw new CliError('usage', `${file} is of another version of stackops`);
      return saved as SavedRamp | undefined;
    },
    save: (ramp: SavedRamp): void => {
      preparePrivateFolder(dirname(file));
      replaceFile(wordFile(services), stack_id, { force: true });
      replaceFile(file, `${JSON.stringify(ramp)}\n`, { force: true });
    },
    remove: (): void => {
      for (const one of [file, requestFile, wordFile(services)]) removeFile(one);
    },
    /** The lock, or the process that holds it. */
    lock: (): HeldLock | string => takeHeldLock(file),
    /** What a killed writer left; only for who has the lock. */
    removeLeftovers: (): void => removeLeftovers(file),
    holder: () => lockHolder(file),
    request: (how: Stop['how']): void => replaceFile(requestFile, `${how}\n`, { force: true }),
    /** A request to this ramp, once. */
    takeRequest: (): Stop['how'] | undefined => {
      const how = readOwnFile(requestFile, secrecy)?.trim();
      if (how !== undefined) removeFile(requestFile);
      return how === 'pause' || how === 'abort' ? how : undefined;
    },
    clearLog: (): void => removeFile(log),
    appendLog: (text: string): Promise<void> => appendLine(log, services.redact(text).trimEnd(), secrecy),
  };
}
