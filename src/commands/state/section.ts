import type { Context } from '../../contract/command.ts';
import type { Operation } from '../../contract/operation.ts';
import type { Plan } from '../../contract/plan.ts';
import type { Action } from '../../resources/action.ts';
import type { ServerRow } from '../../resources/server.ts';
import type { Entry, Expression, SectionName } from '../../state/entry.ts';

/** One thing of a stack that a file can manage, as the service shows it. */
export interface Item {
  readonly section: SectionName;
  /** As in `Entry`, with the name of a server. */
  readonly path: string;
  readonly key: string;
  readonly server?: ServerRow;
  /** As text: sorted tags with commas, digits of a count. Null where the service sends none, or hides it. */
  readonly value: string | null;
  readonly changed_at: string | null;
  /** The number of history entries of a variable, or the count of a process. */
  readonly count: number | null;
  readonly isSecret: boolean;
  /** Why `pull` leaves it out: `read-only`. */
  readonly left?: string;
  /** True for a value that the service generated. */
  readonly isGenerated?: true;
  /** The record of the service, for the step that changes it. */
  readonly row: unknown;
}

/** An entry on one thing of one stack: that of a role is placed on each of its servers. */
export interface Wanted {
  readonly entry: Entry;
  /** The path of `Item`. */
  readonly path: string;
  /** Absent where the service has none. */
  readonly item: Item | undefined;
  readonly server?: ServerRow;
  /** The text of a literal or of a resolved reference; undefined for others. */
  readonly value: string | undefined;
}

/** What is read of a stack; each list once. */
export interface StackReader {
  readonly stack_id: string;
  readonly call: Context['call'];
  readonly servers: () => Promise<readonly ServerRow[]>;
}

/** The phases of `apply`, in order: each begins after the one before has ended. */
export const phases = ['settings', 'servers', 'tags', 'grow', 'env', 'shrink', 'delete'] as const;

export interface Section {
  readonly name: SectionName;
  readonly calls: readonly Operation[];
  /** Everything of the section in this stack. */
  readonly read: (reader: StackReader) => Promise<readonly Item[]>;
  /** The servers of an entry; throws not_found or usage. Absent where entries name no server. */
  readonly serversOf?: (entry: Entry, reader: StackReader) => Promise<readonly ServerRow[]>;
  /** True where the item is as the expression asks; `value` as in `Wanted`. */
  readonly isReached: (wanted: Wanted) => boolean;
  /** Why this difference cannot be made: `read-only`. */
  readonly refusal: (wanted: Wanted) => string | undefined;
  /** True while an unfinished action may change the item. */
  readonly isBusy: (wanted: Wanted, action: Action) => boolean;
  /** The expression that `pull` writes. */
  readonly render: (item: Item) => Expression;
  /** The steps that make the differences, by phase. */
  readonly plans: (
    context: Context,
    stack_id: string,
    wanted: readonly Wanted[],
  ) => readonly { readonly phase: (typeof phases)[number]; readonly plan: Plan }[];
}
