import { printProblem } from '../output/problem-text.ts';
import { colourLevel } from '../output/table/theme.ts';
import { exitCodeOf } from '../problems/exit-codes.ts';
import { Problem } from '../problems/problem.ts';
import type { World } from './world.ts';

export async function reportProblem(
  error: unknown,
  { argv, world, json }: { readonly argv: readonly string[]; readonly world: World; readonly json: boolean },
): Promise<number> {
  const problem = error instanceof Problem ? bySignal(error, world) : asInternal(error, world);
  const { platform, err } = world;
  await printProblem(problem, { json, colour: wantsColour(argv, world), platform }, err);
  return exitCodeOf(problem);
}

function bySignal(problem: Problem, world: World): Problem {
  if (problem.kind !== 'interrupted' || problem.details.exitCode !== undefined) return problem;
  return problem.with({ exitCode: exitCodeOf(problem, world.signal.reason) });
}

function asInternal(error: unknown, { env }: World): Problem {
  const text = error instanceof Error ? error.message : String(error);
  const stack = env['STACKOPS_DEBUG'] && error instanceof Error ? `\n${error.stack}` : '';
  return new Problem('internal', `this is a bug in stackops: ${text}${stack}`, {
    hint: 'run it again with STACKOPS_DEBUG=1 and report what it prints',
  });
}

function wantsColour(argv: readonly string[], { env, err }: World): boolean {
  // From the arguments themselves: the failure may be that they could not be read.
  const at = argv.indexOf('--color');
  const flag = at < 0 ? argv.find((word) => word.startsWith('--color='))?.slice(8) : argv[at + 1];
  return colourLevel({ flag, env, isTTY: err.terminal }) > 0;
}
