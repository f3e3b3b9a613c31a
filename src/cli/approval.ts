import { hash } from 'node:crypto';
import type { Input } from '../contract/field.ts';
import type { Operation } from '../contract/operation.ts';
import { jsonText } from '../contract/values/json.ts';
import { CliError, rethrowAs } from '../errors/cli-error.ts';
import type { DryRunRequest, Run } from './app.ts';
import { createDryRunRequest, dryRunData } from './dry-run.ts';

/**
 * Throws `rejected` if `stackops mcp` has not shown the requests in a plan, and `forbidden` if the approve_command
 * refuses. Each request may then be sent `times` times. Returns false if nothing needs approval.
 */
export async function approvePlan(run: Run, collectRequests: () => Promise<unknown>, times = 1): Promise<boolean> {
  if (!needsApproval(run)) return false;
  const plannedRequests = await collectUnsentRequests(run, collectRequests);
  if (plannedRequests.length === 0) return false;
  await approveRequests(run, plannedRequests);
  const { approved } = run.state;
  for (const key of plannedRequests.map(identityOf)) approved.set(key, (approved.get(key) ?? 0) + times);
  return true;
}

/** Asks for the approval of a change that no approved plan contains, such as one of `api`. Throws as `approvePlan`. */
export async function requireApproval(run: Run, operation: Operation, input: Input): Promise<void> {
  if (!needsApproval(run)) return;
  const dryRunRequest = createDryRunRequest(run.session, operation, input);
  const identity = identityOf(dryRunRequest);
  const timesLeft = run.state.approved.get(identity) ?? 0;
  if (timesLeft > 0) run.state.approved.set(identity, timesLeft - 1);
  else await approveRequests(run, [dryRunRequest]);
}

async function collectUnsentRequests(run: Run, collectRequests: () => Promise<unknown>) {
  run.state.isCollectingForApproval = true;
  await collectRequests().finally(() => {
    run.state.isCollectingForApproval = false;
  });
  return run.unsentRequests.splice(0);
}

/** Reports hashes of a plan to `stackops mcp`. Without `collectRequests`, `unsentRequests` already holds the requests. */
export async function reportPlan(run: Run, collectRequests?: () => Promise<unknown>): Promise<void> {
  const { app, state, unsentRequests } = run;
  if (app.call?.tool !== 'plan') return;
  const plannedRequests = collectRequests ? await collectUnsentRequests(run, collectRequests) : unsentRequests;
  await app.err.json({ plan: { requests: plannedRequests.map(requestHash), basis: state.basisHash ?? '' } });
}

async function approveRequests(run: Run, requests: readonly DryRunRequest[]): Promise<void> {
  await assertPlanWasShown(run, requests);
  if (hasApprover(run)) await askApproveCommand(run, requests);
}

async function assertPlanWasShown({ app, session, state }: Run, requests: readonly DryRunRequest[]): Promise<void> {
  if (!app.call) return;
  const { planned } = app.call;
  const wasShown = (request: DryRunRequest) => planned?.requests.includes(requestHash(request));
  if (planned?.basis === (state.basisHash ?? '') && requests.every(wasShown)) return;
  const { wereChangesSent } = await session.changeRunner();
  const sentText = wereChangesSent() ? 'nothing more was sent' : 'nothing was sent';
  throw new CliError('rejected', `the change is not what was planned; ${sentText}`, { extra: { stale_plan: true } });
}

function requestHash({ request: { method, path, query, body } }: DryRunRequest): string {
  return hashOf([method, path, String(query), body]);
}

export function hashOf(value: unknown): string {
  return hash('sha256', jsonText(value));
}

function needsApproval(run: Run): boolean {
  return hasApprover(run) || run.app.call !== undefined;
}

function hasApprover({ session }: Run): boolean {
  return session.settings.get('approve_command').value !== undefined;
}

function identityOf({ request }: DryRunRequest): string {
  // Only visible parts count: a new password is not known yet when the plan is approved.
  const { path, query, body } = request.masked ?? request;
  return JSON.stringify([request.method, path, String(query), body]);
}

async function askApproveCommand({ session, app, argvForJournal, say }: Run, unsentRequests: readonly DryRunRequest[]) {
  const { profile } = session.settings;
  const account = session.settings.get('account').value ?? null;
  const changes = await Promise.all(
    unsentRequests.map(async (request) => {
      const { method, url, body } = await dryRunData(request);
      return { stack: request.stack ?? null, method, url, body };
    }),
  );
  say.note('waiting for approval (approve_command)');
  const explain = async (error: CliError) => {
    if (error.kind !== 'forbidden') return error;
    const message = app.redactor.quote(error.message);
    const { wereChangesSent } = await session.changeRunner();
    return wereChangesSent()
      ? error.with({}, `${message}; nothing more was sent`)
      : error.with({ nothing: 'sent' }, message);
  };
  const command = argvForJournal().map(app.redactor.redact);
  await session.approve({ command, profile, account, changes }).catch(rethrowAs(explain));
}
