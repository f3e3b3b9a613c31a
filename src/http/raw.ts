import type { HttpAnswer } from '../contract/exchange.ts';
import type { RawAnswer } from '../contract/reply.ts';
import { Problem } from '../problems/problem.ts';
import { bodyOf } from './body.ts';

/** An answer for somebody who wants to see it as it came; a body that is no JSON is a text. Never throws. */
export async function rawAnswer(answer: HttpAnswer): Promise<RawAnswer> {
  const { status, headers, text } = answer;
  const body =
    text.trim() === ''
      ? undefined
      : await bodyOf(answer).then(
          ({ value }) => value,
          () => text,
        );
  return { status, headers, body };
}

/** The same problem with the answer it comes from, for stdout. */
export async function withAnswer({ kind, message, details }: Problem, answer: HttpAnswer): Promise<Problem> {
  return new Problem(kind, message, { ...details, partial: { value: await rawAnswer(answer) } });
}
