import type { Context } from '../../contract/command.ts';
import type { Operation } from '../../contract/operation.ts';
import type { Plan } from '../../contract/plan.ts';
import type { Action } from '../../resources/action.ts';
import type { Variable } from '../../resources/env.ts';
import type { ServerRow } from '../../resources/server.ts';
import type { NewExpression, SectionName, StackEntry } from '../../state/entry.ts';
import type { ChangeSigns } from '../../state/lock.ts';

/** One item of a stack that a file can manage, as the service shows it. */
export interface Item extends ChangeSigns {
  readonly section: SectionName;
  /** As `path` of `StackEntry`, but always with the name of a server instead of a role. */
  readonly path: string;
  readonly key: string;
  readonly server?: ServerRow;
  /** The value as text: sorted tags with commas, digits of a count. Null if the service shows no value. */
  readonly value: string | null;
  /** The service sends a mask in place of the value. */
  readonly isHidden?: boolean;
  readonly isSecret: boolean;
  /** The reason why no file manages it: `read-only`. */
  readonly left?: string | undefined;
  /** The service made it: `pull` preserves it. */
  readonly isGenerated?: boolean;
  readonly row: unknown;
}

/** An entry for one item of one stack. An entry of a role becomes one for each of its servers. */
export interface Wanted {
  readonly entry: StackEntry;
  /** The path of its item. */
  readonly path: string;
  /** Absent where the service has none. */
  readonly item: Item | undefined;
  readonly server?: ServerRow;
  /** A literal, or a reference that was resolved; undefined for other expressions. */
  readonly value: string | undefined;
  /** The value at the service may come from a reference that the file had before. */
  readonly wasReference?: boolean;
}

/** The reads of one stack; each list is read once. */
export interface StackReader {
  readonly stack_id: string;
  readonly call: Context['call'];
  readonly servers: () => Promise<readonly ServerRow[]>;
  readonly variables: () => Promise<readonly Variable[]>;
}

/** The order of `apply`: each phase begins after the one before has ended. */
export const phases = ['settings', 'servers', 'tags', 'grow', 'env', 'shrink', 'delete'] as const;
export type Phase = (typeof phases)[number];

export interface FileSection {
  readonly name: SectionName;
  readonly reads: readonly Operation[];
  readonly writes: readonly Operation[];
  /** Everything of the section in one stack. */
  readonly read: (reader: StackReader) => Promise<readonly Item[]>;
  /** The servers that an entry names; throws not_found. Absent where entries name none. */
  readonly serversOf?: (entry: StackEntry, reader: StackReader) => Promise<readonly ServerRow[]>;
  /** By default equality of the values. */
  readonly isReached?: (wanted: Wanted) => boolean;
  /** The reason why a difference cannot be applied: `read-only`. */
  readonly refusal?: (wanted: Wanted) => string | undefined;
  /** True where this unfinished action may change the item. */
  readonly isBusy?: (wanted: Wanted, action: Action) => boolean;
  /** The expression for a new entry of `pull`. */
  readonly render: (item: Item) => NewExpression;
  readonly phaseOf: (wanted: Wanted) => Phase;
  readonly plan: (context: Context, stack_id: string, wanted: readonly Wanted[], options: WriteOptions) => Plan;
  /** The item in the reply to its change. */
  readonly inReply?: (reply: unknown) => Item | undefined;
  /** The text of a value in the record of a step; by default that value. */
  readonly textOf?: (value: unknown, wanted: Wanted) => unknown;
  /** The present value of an item; undefined where the service has none. */
  readonly valueNow: (reader: StackReader, wanted: Wanted) => Promise<string | null | undefined>;
}

/** Options of the writes: when variables take effect. */
export interface WriteOptions {
  readonly apply_strategy?: 'immediately' | 'deployment' | undefined;
}
