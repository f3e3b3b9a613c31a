import type { TakePage } from '../../contract/command.ts';
import type { Input } from '../../contract/field.ts';
import { changeEach } from '../../kinds/perform/change-each.ts';
import { Problem } from '../../problems/problem.ts';
import { type Placed, rowsOfStack, stacksAtOnce } from './placed-stack.ts';

/**
 * Reads a list page by page in at most eight stacks at once; what is taken comes in the order in which the stacks were
 * named, so that each but the first waits with one page in its hands, and with those that were read ahead.
 */
export async function pagesOverStacks(
  eachPage: (places: Input, take: TakePage) => Promise<void>,
  all: readonly Placed[],
  take: TakePage,
): Promise<void> {
  const turns = turnsFor(all.length);
  let isWanted = true;
  const read = async (one: Placed): Promise<void> => {
    const { comes, ends } = turns[all.indexOf(one)] ?? noTurn;
    const give: TakePage = async (rows, kind) => {
      await comes;
      isWanted &&= await take(rows, kind);
      return isWanted;
    };
    try {
      if (isWanted) await eachPage(one.places, (rows) => give(rowsOfStack(one.name, rows)));
    } catch (error) {
      if (error instanceof Problem) {
        const { kind: code, message } = error;
        await give([{ stack: one.name, error: { code, message } }], 'failures');
      }
      throw error;
    } finally {
      void comes.then(ends);
    }
  };
  const batch = { nameOf: ({ name }: Placed) => name, atOnce: stacksAtOnce, act: read, undone: () => undefined };
  await changeEach({ keepGoing: true }, all, batch).catch((error: unknown) => {
    throw error instanceof Problem ? alreadyWritten(error) : error;
  });
}

interface Turn {
  readonly comes: Promise<void>;
  readonly ends: () => void;
}

const noTurn: Turn = { comes: Promise.resolve(), ends: () => undefined };

/** Each comes when the one before has ended. */
function turnsFor(count: number): readonly Turn[] {
  let comes = Promise.resolve();
  return Array.from({ length: count }, () => {
    const before = comes;
    let ends = () => {};
    comes = new Promise((resolve) => {
      ends = resolve;
    });
    return { comes: before, ends };
  });
}

/** What could be read has been shown. */
function alreadyWritten({ kind, message, details: { partial: _, ...details } }: Problem): Problem {
  return new Problem(kind, message, details);
}
