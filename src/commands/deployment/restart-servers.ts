import { linesOf, verbs } from '../../builders/execute/summary.ts';
import type { Context } from '../../contract/command.ts';
import type { Observer } from '../../contract/observe.ts';
import type { InputOf } from '../../contract/operation.ts';
import type { Plan, Step } from '../../contract/plan.ts';
import { CliError, refusedChangeError, rethrowAs } from '../../errors/cli-error.ts';
import { type ServerRow, serverHealthText, servers } from '../../resources/server.ts';
import { readStackTitle } from '../../resources/stack.ts';
import { checkBusy, type IfBusy, readBusyState } from './plan.ts';

/** Plans a reboot of every server of a stack, one after another: each reboot begins when the server before is back. */
export async function planReboots(context: Context, stack_id: string, if_busy: IfBusy): Promise<Plan> {
  const [rows, busySigns] = await Promise.all([
    context.call(servers.list, { stack_id }),
    readBusyState(context, stack_id, if_busy),
  ]);
  if (rows.length === 0) throw refusedChangeError('the stack has no servers');
  // Only the health of a server shows that the server is back, so every server must show its health.
  const hidden = rows.find(({ health_state }) => health_state == null);
  if (hidden) {
    throw new CliError('unavailable', `the service does not show the health of ${hidden.name}`, { nothing: 'sent' });
  }
  const busyHint = { path: 'restart', flags: ['--servers', '--if-busy', 'wait'], stack_id };
  const { skipPlan, whenFree } = checkBusy(context, stack_id, { busySigns, if_busy, busyHint });
  if (skipPlan) return skipPlan;
  const steps = rows.map(
    ({ uid, name }, at): Step => ({
      id: { id: null, server: name },
      name: `server ${name}`,
      change: 'rebooted',
      send: async () => {
        if (at === 0) await whenFree?.();
        const target = { stack_id, server_id: uid };
        const reboot = context.call(servers.reboot, target, { wait: true, observer: rebootObserver(name) });
        await reboot.catch(rethrowAs((error) => withReboots(error, rows.slice(at + 1), stack_id)));
      },
    }),
  );
  return {
    printsList: true,
    atOnce: 1,
    steps,
    // `send` of each step already waits for the reboot, so the plan does not wait again.
    waits: false,
    ask: {
      level: 'typed',
      name: () => readStackTitle(context, stack_id),
      text: async () => `Reboot the servers of ${await readStackTitle(context, stack_id)} one after another`,
      details: () => rows.map((row) => `${row.name} ${serverHealthText(row)}`),
    },
    summarize: (changes) => ({ lines: linesOf(steps, changes, { verb: verbs.reboot }) }),
  };
}

function withReboots(error: CliError, rows: readonly ServerRow[], stack_id: string): CliError {
  if (rows.length === 0) return error;
  // The servers after the failed one are not rebooted, so the hint names the commands that do it.
  const { hint = [] } = error.details;
  const reboots = rows.map(({ name }) => ({ path: 'server reboot', operands: [name], flags: ['--wait'], stack_id }));
  return error.with({ hint: [typeof hint === 'string' ? [] : hint, reboots].flat() });
}

function rebootObserver(name: string): Observer<InputOf<typeof servers.reboot>> {
  return {
    watchesActions: true,
    watch: (read, { stack_id, server_id }) => {
      let checkCount = 0;
      return {
        name: `the reboot of ${name}`,
        resume: { path: 'server get', operands: [name], stack_id },
        check: async () => {
          const row = await read(servers.get, { stack_id, server_id });
          const health = serverHealthText(row);
          checkCount += 1;
          // At the first check the server may not have gone down yet, so it counts as back from the second check on.
          const isServerBack = health === 'healthy' && checkCount > 1;
          return { state: isServerBack ? 'good' : 'running', text: `health ${health}`, value: row };
        },
      };
    },
  };
}
