import type { Operation } from '../../contract/operation.ts';
import type { Given } from '../request/check.ts';
import type { SandboxWorld } from '../world.ts';

/** `documented`: as service.md shows replies; `actions` and `legacy`: as newer and older clients of the service know them. */
export const replyForms = ['documented', 'actions', 'legacy'] as const;
export type ReplyFormName = (typeof replyForms)[number];

/** One valid request. */
export interface Exchange {
  /** Such as `variants.update`. */
  readonly id: string;
  readonly operation: Operation;
  readonly input: Given;
  /** From 1; 1 where the reply has no pages. */
  readonly page: number;
  readonly world: SandboxWorld;
  /** Runs the operation; throws a refusal. */
  readonly work: (world: SandboxWorld, input: Given) => unknown;
}

/** Runs an exchange and returns the JSON value of its body, undefined for an empty one. */
export type ReplyForm = (exchange: Exchange) => unknown;
