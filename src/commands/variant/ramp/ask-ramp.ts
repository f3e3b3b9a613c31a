import { shortHash } from '../../../contract/values/git-hash.ts';
import { isoText, msOf, relativeText } from '../../../contract/values/time.ts';
import { Problem } from '../../../problems/problem.ts';
import { environmentOf, type RampResult, runLocked, secondRamp, type Tools } from './locked-run.ts';
import { begin, resume } from './machine/machine.ts';
import { ended, takeBack } from './machine/moves.ts';
import type { Next, Rules } from './machine/state.ts';
import { type Mode, type RampInput, readRules } from './options.ts';
import { checksOf, tryChecks } from './preflight.ts';
import type { RampFiles, SavedRamp } from './ramp-file.ts';
import type { RampEvent } from './report.ts';
import type { RampContext } from './services.ts';
import { isCommitted } from './share.ts';
import { type Canary, changeIn, type RampWorld, readWorld } from './world.ts';

/** Shows the ramp of a stack on this machine, or asks the running one to end. */
export async function askRamp(
  context: RampContext,
  { stack_id }: RampInput,
  files: RampFiles,
  mode: Exclude<Mode, 'resume'>,
): Promise<RampResult> {
  const saved = files.read();
  const holder = files.holder();
  if (!saved || (mode !== 'status' && holder === undefined)) throw noRamp(stack_id, mode === 'status');
  if (mode !== 'status' && !context.dryRun) files.request(mode);
  const { variant, share, step, options } = saved;
  const state = holder === undefined ? (saved.ended ?? 'interrupted') : `running${holder}`;
  const place = `${variant} ${share} %, step ${step + 1} of ${options.steps?.length}`;
  const since = `began ${relativeText(new Date(msOf(saved.started_at)), context.now())}`;
  const asked = `${context.dryRun ? 'would ask' : 'asked'} the ramp${holder} to ${mode}: ${place}`;
  const lines = [mode === 'status' ? `${place}, ${state}, ${since}` : asked];
  const row: RampEvent = {
    v: 1,
    at: isoText(context.now()),
    event: mode,
    variant,
    step: step + 1,
    share,
    result: state,
  };
  await context.event(row);
  return { ...row, summary: { lines } };
}

function noRamp(stack_id: string, isKnown: boolean): Problem {
  const message = isKnown
    ? 'no ramp of this stack on this machine'
    : 'no ramp of this stack runs on this machine; nothing was changed';
  return new Problem('not_found', message, { hint: { path: 'variant list', stack_id } });
}

/** A ramp from before this time may not be what anybody wants any more. */
const staleMs = 24 * 3_600_000;

/** Goes on with a ramp that was paused or killed: its step soaks anew. */
export async function resumeRamp(context: RampContext, { stack_id }: RampInput, tools: Tools): Promise<RampResult> {
  const { files, services } = tools;
  const holder = files.holder();
  if (holder !== undefined) throw secondRamp(holder, stack_id);
  const saved = files.read();
  if (!saved) throw noRamp(stack_id, true);
  const input = { ...saved.options, stack_id };
  const rules = readRules(input);
  if (rules.confirmSteps && !context.ask)
    throw new Problem('usage', '--confirm-steps needs a terminal; nothing was changed');
  const canary = canaryIn(saved, stack_id);
  const world = await readWorld(context, stack_id);
  const first = firstStep(saved, rules, { world, canary });
  const checks = checksOf(input, canary, services);
  const envOf = environmentOf(canary, rules, saved.share_before);
  const { state } = first(0);
  if (state.phase === 'setting' || state.phase === 'soaking') {
    await tryChecks(context, services, checks, { share: state.share, env: envOf(state) });
  }
  if (context.dryRun) {
    const row = { v: 1, at: isoText(context.now()), event: 'preflight', variant: canary.uid, share: state.share };
    await context.event(row);
    return { ...row, summary: { lines: [`would resume the ramp of ${canary.uid} at ${state.share} %`] } };
  }
  const ageMs = context.now().getTime() - msOf(saved.updated_at);
  if (ageMs > staleMs || context.isProtected) {
    const age = relativeText(new Date(msOf(saved.updated_at)), context.now());
    await context.confirm({
      name: canary.uid,
      text: async () => `Resume the ramp of ${canary.uid} at ${state.share} %`,
      facts: () => [`commit ${shortHash(canary.commit)}`, `last seen ${age}`],
    });
  }
  return runLocked(context, tools, { input, rules, canary, checks, envOf, saved }, () => first(context.elapsed()));
}

function canaryIn({ variant, commit, active_commit, deployment }: SavedRamp, stack_id: string): Canary {
  return { stack_id, uid: variant, commit, activeCommit: active_commit, deployment };
}

/** Where it goes on. Throws rejected where somebody else changed something meanwhile. */
function firstStep(
  { phase, step, share }: SavedRamp,
  rules: Rules,
  { world, canary }: { readonly world: RampWorld; readonly canary: Canary },
): (nowMs: number) => Next {
  if (phase === 'committing') return () => afterCommit(world, canary, share);
  const target = { setting: rules.steps[step], returning: rules.abortTo }[phase as string];
  const why = changeIn(world, canary, [share, ...(target === undefined ? [] : [target])]);
  if (why !== undefined) {
    const hint = { path: 'variant list', stack_id: canary.stack_id };
    throw new Problem('rejected', `cannot resume: ${why}; nothing was sent`, { hint });
  }
  const now = world.variants.find(({ uid }) => uid === canary.uid)?.percentage ?? share;
  if (phase === 'returning') return () => takeBack(rules, now, { kind: 'stopped', how: 'abort', by: 'request' });
  const at = rules.steps.indexOf(now);
  return at < 0 ? () => begin(rules, now) : (nowMs) => resume(rules, { step: at, share: now }, nowMs);
}

/** A commit that was sent is never followed by a share, nor sent again. */
function afterCommit({ variants }: RampWorld, canary: Canary, share: number): Next {
  if (isCommitted(variants, canary)) return ended(share, { kind: 'committed' });
  return ended(share, { kind: 'unknown', what: 'commit', why: 'it was sent, and the service does not show it' });
}
