import type { Context } from '../../../contract/command.ts';
import type { CommandLine } from '../../../contract/command-line.ts';
import type { Question } from '../../../contract/plan.ts';
import { shortHash } from '../../../contract/values/git-hash.ts';
import { isoText, msOf, relativeText } from '../../../contract/values/time.ts';
import { Problem } from '../../../problems/problem.ts';
import { inStack } from '../../../resources/shared.ts';
import { describeStack } from '../../../resources/stack.ts';
import { askRamp, noRamp, secondRamp } from './ask-ramp.ts';
import { type PlannedRamp, runLocked } from './locked-run.ts';
import { begin, resume } from './machine/machine.ts';
import { ended, takeBack } from './machine/moves.ts';
import type { Next, Rules } from './machine/state.ts';
import { modeOf, type RampInput, readCommand, readRules } from './options.ts';
import { findCanary, missWarning, readChecks, scheduleLines, tryChecks } from './preflight.ts';
import { type RampFiles, rampedStack, rampFiles, type SavedRamp } from './ramp-file.ts';
import { eventNow, type RampResult } from './report.ts';
import type { RampContext, RampServices } from './services.ts';
import { isCommitted } from './share.ts';
import { environmentOf } from './work.ts';
import { type Canary, changeIn, type RampWorld, readWorld, weightLine } from './world.ts';

/** `variant ramp`: a new ramp, one that goes on, or what was asked of the one of this stack. */
export async function ramp(
  given: Context,
  typed: Omit<RampInput, 'stack_id'>,
  services: RampServices,
): Promise<RampResult> {
  // Not a copy: whether it is a dry run may change meanwhile.
  const context: RampContext = Object.assign(Object.create(given), await given.longRun());
  const mode = modeOf(typed);
  const asks = mode !== undefined && mode !== 'resume';
  // The service may be down when a ramp has to be paused.
  const known = asks ? rampedStack(services, context.warn) : undefined;
  const stack_id = known ?? String(await context.place(inStack));
  const files = rampFiles(services, stack_id, context.warn);
  if (asks) return askRamp(context, (known && services.stack()) ?? stack_id, files, mode);
  if (mode === undefined) return start(context, services, files, { options: { ...typed, stack_id } });
  const earlier = files.read();
  if (!earlier) throw noRamp(stack_id, true);
  return start(context, services, files, { options: earlier.options, earlier });
}

async function start(
  context: RampContext,
  services: RampServices,
  files: RampFiles,
  { options, earlier }: { readonly options: RampInput; readonly earlier?: SavedRamp },
): Promise<RampResult> {
  const { stack_id, on_event } = options;
  const rules = readRules(options);
  const checksOf = readChecks(options, services);
  const eventCommand = on_event === undefined ? undefined : readCommand('--on-event', on_event);
  if (rules.confirmSteps && !context.ask && !context.dryRun) {
    throw new Problem('usage', '--confirm-steps needs a terminal; nothing was changed');
  }
  const holder = files.holder();
  if (holder !== undefined) throw secondRamp(holder, stack_id);
  const situation = { rules, world: await readWorld(context, stack_id) };
  const begun = earlier ? goingOn(context, earlier, situation) : newRamp(context, options, situation);
  const { canary, saved, first, question, back } = begun;
  const { phase, share } = first.state;
  const checks = checksOf(canary.commit);
  const envOf = environmentOf(canary, rules, saved.share_before);
  if (phase === 'setting' || phase === 'soaking') {
    await tryChecks(context, services, checks, { share, env: envOf(first.state), back });
  }
  const warning = missWarning(rules, options);
  if (warning !== undefined) context.warn(warning);
  const head = `${canary.uid}, commit ${shortHash(canary.commit)}, has ${share} %. At the earliest:`;
  const schedule = earlier ? [] : [head, ...scheduleLines(rules, checks, context.now())];
  if (context.dryRun) {
    const lines = earlier ? [`would resume the ramp of ${canary.uid} at ${share} %`] : schedule;
    const row = eventNow(context, 'preflight', { variant: canary.uid, share });
    await context.event(row);
    return { ...row, summary: { lines } };
  }
  for (const line of schedule) context.note(line);
  if (question) await context.confirm(question);
  const plan = { services, files, rules, canary, checks, envOf, saved, isNew: !earlier };
  return runLocked(context, { ...plan, first, eventCommand });
}

/** A ramp that may begin, before its checks were tried. */
interface Begun extends Pick<PlannedRamp, 'canary' | 'saved' | 'first'> {
  readonly question?: Question;
  /** Returns the traffic that an earlier run left. */
  readonly back?: CommandLine;
}

interface Situation {
  readonly rules: Rules;
  readonly world: RampWorld;
}

/** Throws not_found, ambiguous or rejected where none may begin. */
function newRamp(context: RampContext, options: RampInput, { rules, world }: Situation): Begun {
  const { canary, share } = findCanary(world, options, rules);
  if (!world.deployments) context.warn('the token may not read deployments: a new one does not end the ramp');
  const way = `from ${share} % to ${rules.steps.at(-1)} %${rules.commit ? ' and commit it' : ''}`;
  return {
    canary,
    saved: { started_at: isoText(context.now()), share_before: share, options },
    first: begin(rules, share),
    question: {
      name: canary.uid,
      text: async () => `Ramp ${canary.uid} of ${await describeStack(context, canary.stack_id)} ${way}`,
      facts: () => [`commit ${shortHash(canary.commit)}`],
      ...(rules.commit && { warning: 'The commit is final.' }),
    },
  };
}

/** A ramp from before this time may not be what anybody wants any more. */
const staleMs = 24 * 3_600_000;

/** One that was paused or killed. Throws rejected where somebody else changed something meanwhile. */
function goingOn(context: RampContext, saved: SavedRamp, { rules, world }: Situation): Begun {
  const { variant: uid, commit, active_commit: activeCommit, deployment, options } = saved;
  const canary = { stack_id: options.stack_id, uid, commit, activeCommit, deployment };
  const first = firstStep(saved, canary, { rules, world });
  const { share } = first.state;
  const seenAt = new Date(msOf(saved.updated_at));
  const isAsked = context.now().getTime() - seenAt.getTime() > staleMs || context.isProtected;
  const question = {
    name: uid,
    text: async () => `Resume the ramp of ${uid} at ${share} %`,
    facts: () => [`commit ${shortHash(commit)}`, `last seen ${relativeText(seenAt, context.now())}`],
  };
  const back = share > rules.abortTo && { back: weightLine(canary, rules.abortTo) };
  return { canary, saved, first, ...(isAsked && { question }), ...back };
}

/** Where it goes on; its step soaks anew. */
function firstStep({ phase, step, share }: SavedRamp, canary: Canary, { rules, world }: Situation): Next {
  if (phase === 'committing') return afterCommit(world, canary, share);
  const target = { setting: rules.steps[step], returning: rules.abortTo }[phase as string];
  const why = changeIn(world, canary, [share, ...(target === undefined ? [] : [target])]);
  if (why !== undefined) {
    const hint = { path: 'variant list', stack_id: canary.stack_id };
    throw new Problem('rejected', `cannot resume: ${why}; nothing was sent`, { hint });
  }
  const now = world.variants.find(({ uid }) => uid === canary.uid)?.percentage ?? share;
  if (phase === 'returning') return takeBack(rules, now, { kind: 'stopped', how: 'abort', by: 'request' });
  const at = rules.steps.indexOf(now);
  return at < 0 ? begin(rules, now) : resume(rules, { step: at, share: now }, 0);
}

/** A commit that was sent is never followed by a share, nor sent again. */
function afterCommit({ variants }: RampWorld, canary: Canary, share: number): Next {
  if (isCommitted(variants, canary)) return ended(share, { kind: 'committed' });
  return ended(share, { kind: 'unknown', what: 'commit', why: 'it was sent, and the service does not show it' });
}
