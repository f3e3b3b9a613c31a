import type { Outcome } from '../../contract/plan.ts';
import { whyText } from '../../problems/or-warn.ts';
import { Problem, type ProblemKind } from '../../problems/problem.ts';
import { inSentences } from './partial-message.ts';

/** Their exit codes tell the outcome of the last change; those of the others promise that nothing was changed. */
const ownExitCode: readonly ProblemKind[] = ['operation_failed', 'pending', 'outcome_unknown', 'interrupted'];

/** Does what follows changes that went through, and reports both. Throws its Problem with the outcome of both as partial. */
export async function withFollowUp(first: Outcome, follow: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return joined(first, await follow());
  } catch (failure) {
    const error = failure instanceof Problem ? failure : new Problem('unavailable', whyText(failure));
    const { kind, message, details } = error;
    const second = details.partial?.value as Outcome | undefined;
    throw new Problem(kind, inSentences([message, 'The changes before it were made']), {
      ...details,
      ...(!ownExitCode.includes(kind) && { exitCode: 1 }),
      partial: { value: second ? joined(first, second) : first },
    });
  }
}

/** Its undo is that of the changes. */
function joined(first: Outcome, second: Outcome): Outcome {
  return { ...first, data: [first.data, second.data].flat(), lines: [...first.lines, ...second.lines] };
}
