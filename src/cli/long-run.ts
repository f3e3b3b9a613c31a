import type { LongRun } from '../contract/command.ts';
import { withoutProgress } from '../output/progress.ts';
import { canRedraw } from '../output/safe/redraw.ts';
import { showsData } from '../output/view.ts';
import type { Run } from './app.ts';
import { approvePlan } from './approval.ts';
import { doesNotApply } from './arguments/unused-flags.ts';
import { writeResult } from './write-result.ts';

/** Of each change that is approved at once: two more where its answer is lost. */
const mostSends = 3;

/** How a command that takes long speaks with people and programs meanwhile. Throws usage for --jq. */
export function longRunOf(run: Run, isProtected: boolean): LongRun {
  const { app, view, progress, line } = run;
  const { ask } = app;
  // While jq runs, no signal is heard.
  if (view.jq !== undefined) throw doesNotApply('--jq', 'each event is printed as it comes', '--json');
  return {
    redraws: canRedraw(app.err, app.env) && !view.quiet,
    isProtected,
    during: progress.during,
    ask: ask && ((question, more) => withoutProgress(progress, () => ask(question, more))),
    approve: async (collect) => void (await approvePlan(run, collect, mostSends)),
    event: async (row) => {
      if (!showsData(view)) return;
      const { reply } = line.command.output;
      // A list in YAML can be written item by item, and JSON line by line.
      const form = view.format === 'json' ? ({ ...view, format: 'ndjson' } as const) : view;
      const value = view.format === 'yaml' ? [row] : row;
      await writeResult({ value, reply, presentation: { kind: 'nothing' } }, form, app);
    },
  };
}
