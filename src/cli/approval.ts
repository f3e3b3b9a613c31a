import type { Input } from '../contract/field.ts';
import type { Operation } from '../contract/operation.ts';
import { CliError } from '../errors/cli-error.ts';
import type { DryRunRequest, Run } from './app.ts';
import { dryRunData, unsentRequest } from './dry-run.ts';

/**
 * Sends all requests of `collect` to approve_command; each may then be sent `times` times. Returns false without an
 * approve_command.
 */
export async function approvePlan(run: Run, collect: () => Promise<unknown>, times = 1): Promise<boolean> {
  if (!hasApprover(run)) return false;
  run.state.forApproval = true;
  await collect().finally(() => {
    run.state.forApproval = false;
  });
  const planned = run.unsent.splice(0);
  if (planned.length === 0) return false;
  await ask(run, planned);
  for (const one of planned.map(identityOf)) run.state.approved.set(one, (run.state.approved.get(one) ?? 0) + times);
  return true;
}

/** Throws forbidden for a change that is neither part of an approved plan nor approved alone, as for `api`. */
export async function requireApproval(run: Run, operation: Operation, input: Input): Promise<void> {
  if (!hasApprover(run)) return;
  const unsent = unsentRequest(run.session, operation, input);
  const identity = identityOf(unsent);
  const left = run.state.approved.get(identity) ?? 0;
  if (left > 0) run.state.approved.set(identity, left - 1);
  else await ask(run, [unsent]);
}

function hasApprover({ session }: Run): boolean {
  return session.settings.get('approve_command').value !== undefined;
}

function identityOf({ request }: DryRunRequest): string {
  // The visible parts: a new password is not known when the plan is approved.
  const { path, query, body } = request.masked ?? request;
  return JSON.stringify([request.method, path, String(query), body]);
}

async function ask({ session, app, recorded, say }: Run, unsent: readonly DryRunRequest[]) {
  const { profile } = session.settings;
  const account = session.settings.get('account').value ?? null;
  const changes = await Promise.all(
    unsent.map(async (one) => {
      const { method, url, body } = await dryRunData(one);
      return { stack: one.stack ?? null, method, url, body };
    }),
  );
  say.note('waiting for approval (approve_command)');
  try {
    await session.approve({ command: recorded().map(app.redactor.redact), profile, account, changes });
  } catch (error) {
    if (!(error instanceof CliError) || error.kind !== 'forbidden') throw error;
    const message = app.redactor.quote(error.message);
    const { wereSent } = await session.changes();
    throw wereSent() ? error.with({}, `${message}; nothing more was sent`) : error.with({ nothing: 'sent' }, message);
  }
}
