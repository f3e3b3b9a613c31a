import type { Context } from '../../contract/command.ts';
import type { Operation } from '../../contract/operation.ts';
import type { Plan } from '../../contract/plan.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { Action } from '../../resources/action.ts';
import type { Variable } from '../../resources/env.ts';
import type { ServerRow } from '../../resources/server.ts';
import { entryPathOf, type NewExpression, type SectionName, type StackEntry } from '../../state/entry.ts';
import type { ChangeSigns } from '../../state/lock.ts';
import type { VariableWrite } from '../env/variable.ts';

/** One item of a stack that a file can manage, as the service shows it. */
export interface StackItem extends ChangeSigns {
  readonly section: SectionName;
  /** As `path` of `StackEntry`, but always with the name of a server instead of a role. */
  readonly path: string;
  readonly key: string;
  readonly server?: ServerRow | undefined;
  /** The value as text: sorted tags with commas, digits of a count. Null if the service shows no value. */
  readonly value: string | null;
  /** True if the service sends a mask in place of the value. */
  readonly isHidden?: boolean;
  readonly isSecret: boolean;
  /** The reason why no file manages the item, such as `read-only`; undefined if a file can. */
  readonly unmanagedReason?: string | undefined;
  /** True if the service generated the value, so `pull` writes `preserve`. */
  readonly isGenerated?: boolean;
  readonly row: unknown;
}

/** An entry for one item of one stack. An entry for a role becomes one `WantedItem` for each server of the role. */
export interface WantedItem {
  readonly section: FileSection;
  readonly entry: StackEntry;
  /** The path of the item. It has the name of the server, even if the entry has a role. */
  readonly path: string;
  /** Undefined if the service has no such item. */
  readonly item: StackItem | undefined;
  /** Undefined if entries of the section name no server. */
  readonly server: ServerRow | undefined;
  /** The text of a literal or a reference; undefined for other expressions. */
  readonly value: string | undefined;
  /** True if the value at the service may come from a reference that the file had before. */
  readonly wasReference?: boolean;
}

/** Reads the items of one stack. `listServers` and `listVariables` request their list only once. */
export interface StackReader {
  readonly stack_id: string;
  readonly call: Context['call'];
  readonly listServers: () => Promise<readonly ServerRow[]>;
  readonly listVariables: () => Promise<readonly Variable[]>;
}

export interface FileSection {
  readonly name: SectionName;
  readonly reads: readonly Operation[];
  readonly writes: readonly Operation[];
  readonly read: (reader: StackReader) => Promise<readonly StackItem[]>;
  /** True if the item already has the value that the entry requests. By default the values are compared as text. */
  readonly hasWantedValue?: (wanted: WantedItem) => boolean;
  /** Returns the reason why a difference cannot be applied, such as `read-only`; undefined if it can be. */
  readonly refusalReason?: (wanted: WantedItem) => string | undefined;
  /** True if this unfinished action may change the item. */
  readonly mayBeChangedBy?: (wanted: WantedItem, action: Action) => boolean;
  /** Returns the expression that `pull` writes for an item. By default it is the value as a literal. */
  readonly newExpression?: (item: StackItem) => NewExpression;
  /** Returns the phase of a change that is no deletion. By default it has the name of the section. */
  readonly phaseOf?: (wanted: WantedItem) => 'grow' | 'shrink';
  /** Plans the changes, in the order of the wanted items. */
  readonly planChanges: (
    context: Context,
    stack_id: string,
    wanted: readonly WantedItem[],
    options: Pick<VariableWrite, 'apply_strategy'>,
  ) => readonly Plan[];
  /** Finds the item in the reply to its change; undefined if the reply does not show the item. */
  readonly itemInReply?: (reply: unknown) => StackItem | undefined;
  /** Converts a value in the change record of a step to text. By default the value stays as it is. */
  readonly textOf?: (value: unknown, wanted: WantedItem) => unknown;
  /** Reads the current value of an item: null if the service hides it, undefined if there is no such item. */
  readonly readValue: (reader: StackReader, wanted: WantedItem) => Promise<string | null | undefined>;
}

export function itemIdentity(section: SectionName, key: string, server?: ServerRow) {
  return { section, path: entryPathOf({ section, key, server: server?.name }), key, server };
}

export function undefinedIfMissing(error: unknown): undefined {
  if (error instanceof CliError && error.kind === 'not_found') return undefined;
  throw error;
}
