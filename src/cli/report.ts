import { printProblem } from '../output/error-text.ts';
import { exitCodeOf } from '../errors/exit-codes.ts';
import { Problem } from '../errors/cli-error.ts';
import { beforeDashes } from './arguments/options.ts';
import { wantsColour } from './environment.ts';
import type { World } from './app.ts';

export async function reportProblem(
  error: unknown,
  { argv, world, json }: { readonly argv: readonly string[]; readonly world: World; readonly json: boolean },
): Promise<number> {
  const problem = error instanceof Problem ? bySignal(error, world) : asInternal(error, world);
  const { platform, env, err } = world;
  const colour = wantsColour({ value: typedColour(argv), origin: 'flag' }, env, err.terminal);
  await printProblem(problem, { json, colour, platform }, err);
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

function typedColour(argv: readonly string[]): string | undefined {
  // From the arguments themselves: the failure may be that they could not be read.
  const words = beforeDashes(argv);
  const at = words.indexOf('--color');
  return at < 0 ? words.find((word) => word.startsWith('--color='))?.slice(8) : words[at + 1];
}
