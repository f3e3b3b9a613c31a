import { listenForRedirect } from '../../auth/redirect-listener.ts';
import { Problem } from '../../problems/problem.ts';
import type { Services } from '../services.ts';
import { type CheckResult, ok, repairOf, warning } from './check.ts';

/** Listens briefly as a sign-in would. A port in use does not matter to a token from the environment. */
export async function portResult(services: Services): Promise<CheckResult> {
  const { value = '0', origin } = services.settings().get('callback_port');
  if (value === '0') return ok(`any free port (${origin})`);
  try {
    const listener = await listenForRedirect({
      port: Number(value),
      state: 'none',
      issuer: new URL('http://none.invalid'),
      scopeSeparator: 'comma',
    });
    await listener.finish('failed');
    return ok(`${value} is free (${origin})`);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return warning(error.message, repairOf(error) ?? '');
  }
}
