import type { Context } from '../../../contract/command.ts';
import { findAmong } from '../../../kinds/resource/find.ts';
import { Problem } from '../../../problems/problem.ts';
import { type Variable, variable } from '../../../resources/env.ts';
import type { Services } from '../../services.ts';

/** The variable of a key; throws not_found, which tells of one that was deleted from this machine. */
export async function findVariable(
  context: Context,
  services: Services,
  known: readonly Variable[],
  place: { readonly key: string; readonly stack_id: string },
): Promise<Variable> {
  try {
    return findAmong(variable, known, place.key, place);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { deletionText } = await import('../../history/deletion.ts');
    const text = deletionText(context, services, place);
    throw text === undefined ? error : new Problem('not_found', text, error.details);
  }
}
