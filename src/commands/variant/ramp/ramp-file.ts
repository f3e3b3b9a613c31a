import { hash } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { Context } from '../../../contract/command.ts';
import {
  flag,
  group,
  instant,
  integer,
  matchesField,
  nullable,
  oneOf,
  optional,
  text,
  type Values,
} from '../../../contract/field.ts';
import type { CommandHost } from '../../../contract/host.ts';
import type { JsonObject } from '../../../contract/values/json.ts';
import { CliError } from '../../../errors/cli-error.ts';
import { appendLine, dropOldestLines } from '../../../files/append-line.ts';
import { cannotUseError, tryToWrite } from '../../../files/file-fault.ts';
import { readJsonFile } from '../../../files/json-file.ts';
import { type HeldLock, lockHolderText, tryHoldLock } from '../../../files/lock.ts';
import { readOwnFile } from '../../../files/own-file.ts';
import { preparePrivateFolder } from '../../../files/private-folder.ts';
import { removeFile, removeLeftoverFiles, replaceFile } from '../../../files/replace-file.ts';
import type { StopRequest } from './machine/state.ts';
import { type RampInput, savedOptionFields } from './options.ts';

const needed = { needed: true } as const;
const maxLogBytes = 8 * 1024 * 1024;

/** The fields of a ramp file, which stores the state of a ramp on this machine. It has no token and no check output. */
const savedFields = {
  version: integer('Version of this form.', needed),
  variant: text('UID of the canary.', needed),
  commit: text('Its commit.', needed),
  active_commit: nullable(text('Commit of the version that it replaces.')),
  deployment: nullable(integer('Newest deployment at the beginning; null where deployments could not be read.')),
  started_at: instant('Time of the beginning.', needed),
  updated_at: instant('Time of the last change.', needed),
  phase: oneOf(['setting', 'soaking', 'returning', 'committing', 'ended'], 'Phase.', needed),
  step: integer('Index of the step.', needed),
  share: integer('Last share that the service showed.', needed),
  may_have: optional(integer('Share of a request whose result is unknown.')),
  requested: optional(oneOf(['pause', 'abort'], 'A stop that is not carried out yet.')),
  share_before: integer('Share before the ramp.', needed),
  ended: optional(text('How it ended.')),
  /** True if other users could write the file before its permissions were repaired. */
  is_exposed: optional(flag('Never resumed.')),
  options: { ...group(savedOptionFields, 'Options.'), ...needed },
};
export type SavedRamp = Omit<Values<typeof savedFields>, 'options' | OptionalName> & {
  readonly options: RampInput;
} & { readonly [Name in OptionalName]?: Values<typeof savedFields>[Name] | undefined };
type OptionalName = 'ended' | 'may_have' | 'requested';

/** Returns the UID of the stack whose ramp was begun with the same `-s`, else undefined. It sends no request. */
export function readStackOfRamp({ host, warn }: Context): string | undefined {
  return readOwnFile(stackFile(host), { warn });
}

function stackFile(host: CommandHost): string {
  return `${pathFor(host, host.settings.get('stack').value ?? '')}.stack`;
}

function pathFor({ folders, settings, baseUrl }: CommandHost, stack: string): string {
  const account = settings.get('account').value ?? '';
  const name = hash('sha256', JSON.stringify([baseUrl(), account, stack])).slice(0, 16);
  return join(folders().state, 'ramp', name);
}

export type RampFiles = ReturnType<typeof rampFiles>;

/** Returns functions for the files of a stack's ramp, whose names depend on service address, account and stack. */
export function rampFiles({ host, warn }: Context, stack_id: string) {
  const path = pathFor(host, stack_id);
  const [file, requestFile, logFile] = [`${path}.json`, `${path}.request`, `${path}.log`];
  const removeOrThrow = (rampFile: string) => tryToWrite(rampFile, () => removeFile(rampFile));
  return {
    log: logFile,
    read: (): SavedRamp | undefined => {
      let isExposed = false;
      const onExposed = () => {
        isExposed = true;
      };
      const saved = readJsonFile(file, { warn, onExposed });
      // The read has repaired the permissions of the file, so the file must record that others could write it.
      if (saved && isExposed) replaceFile(file, JSON.stringify({ ...saved, is_exposed: true }), { force: true });
      const ramp = saved && checkSavedRamp(file, saved, stack_id);
      return ramp && isExposed ? { ...ramp, is_exposed: true } : ramp;
    },
    /** Like `read`, but throws `usage` if other users could write the file, because it names programs to run. */
    readTrusted(): SavedRamp | undefined {
      const saved = this.read();
      if (!saved?.is_exposed) return saved;
      throw new CliError('usage', `the ramp is not resumed: others could write ${file}`, {
        hint: { path: 'variant ramp', flags: ['--status'], stack_id },
      });
    },
    save: (ramp: SavedRamp): void => {
      preparePrivateFolder(dirname(file));
      replaceFile(stackFile(host), stack_id, { force: true });
      replaceFile(file, `${JSON.stringify(ramp)}\n`, { force: true });
    },
    remove: (): void => {
      for (const rampFile of [file, requestFile, stackFile(host)]) removeOrThrow(rampFile);
    },
    /** Takes the lock and returns it. If another process holds the lock, returns text about that process. */
    lock: (): HeldLock | string => tryHoldLock(file),
    /** Removes incomplete files of a killed process. Requires the lock. */
    removeLeftovers: (): void => removeLeftoverFiles(file),
    readHolder: () => lockHolderText(file),
    writeRequest: (how: StopRequest['how']): void => replaceFile(requestFile, `${how}\n`, { force: true }),
    /** Returns the requested stop; undefined without a request. The request stays until `dropRequest` is called. */
    readRequest: (): StopRequest['how'] | undefined => {
      const how = readOwnFile(requestFile, { warn })?.trim();
      return how === 'pause' || how === 'abort' ? how : undefined;
    },
    dropRequest: (): void => removeOrThrow(requestFile),
    clearLog: (): void => removeFile(logFile),
    appendLog: async (text: string): Promise<void> => {
      dropOldestLines(logFile, maxLogBytes);
      await appendLine(logFile, host.redact(text).trimEnd(), { warn });
    },
  };
}

function checkSavedRamp(file: string, saved: JsonObject, stack_id: string): SavedRamp {
  if (saved['version'] !== 2) throw new CliError('usage', `${file} is of another version of stackops`);
  const [wrongName] = Object.entries(savedFields).find(([name, field]) => !matchesField(field, saved[name])) ?? [];
  if (wrongName) throw cannotUseError(file, `"${wrongName}" is missing or of another type`);
  const ramp = saved as unknown as SavedRamp;
  if (ramp.options.stack_id !== stack_id) throw cannotUseError(file, 'it is of another stack');
  return ramp;
}
