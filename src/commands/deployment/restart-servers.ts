import { linesOf, verbs } from '../../builders/execute/summary.ts';
import type { Context } from '../../contract/command.ts';
import type { CommandLine } from '../../contract/command-line.ts';
import type { Observer } from '../../contract/observe.ts';
import type { InputOf } from '../../contract/operation.ts';
import type { Plan, Step } from '../../contract/plan.ts';
import { CliError, refusedChangeError } from '../../errors/cli-error.ts';
import { type ServerRow, serverHealthText, servers } from '../../resources/server.ts';
import { readStackTitle } from '../../resources/stack.ts';
import { checkBusy, type IfBusy, readBusyState } from './if-busy.ts';

/** Plans a reboot of every server of a stack, one after another: each reboot begins when the server before is back. */
export async function planReboots(context: Context, stack_id: string, if_busy: IfBusy): Promise<Plan> {
  const [rows, busySigns] = await Promise.all([
    context.call(servers.list, { stack_id }),
    readBusyState(context, stack_id, if_busy),
  ]);
  if (rows.length === 0) throw refusedChangeError('the stack has no servers');
  // Only the health of a server shows that the server is back, so every server must show its health.
  const serverWithoutHealth = rows.find(({ health_state }) => health_state == null);
  if (serverWithoutHealth) {
    throw new CliError('unavailable', `the service does not show the health of ${serverWithoutHealth.name}`, {
      nothing: 'sent',
    });
  }
  const busyHint = { path: 'restart', flags: ['--servers', '--if-busy', 'wait'], stack_id };
  const { skipPlan, whenFree } = checkBusy(context, stack_id, { busySigns, if_busy, busyHint });
  if (skipPlan) return skipPlan;
  const steps = rows.map(
    ({ uid, name }, at): Step => ({
      id: { id: null, server: name },
      name: `server ${name}`,
      change: 'rebooted',
      before: null,
      after: null,
      send: async () => {
        if (at === 0) await whenFree?.();
        const target = { stack_id, server_id: uid };
        const reboot = context.call(servers.reboot, target, { wait: true, observer: rebootObserver(name) });
        await reboot.catch((error: unknown) => {
          throw withNextCommands(error, rebootCommands(rows.slice(at + 1), stack_id));
        });
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

function rebootCommands(rows: readonly ServerRow[], stack_id: string): readonly CommandLine[] {
  return rows.map(({ name }) => ({ path: 'server reboot', operands: [name], flags: ['--wait'], stack_id }));
}

function withNextCommands(error: unknown, nextCommands: readonly CommandLine[]): unknown {
  if (!(error instanceof CliError) || nextCommands.length === 0) return error;
  const { hint } = error.details;
  const hintCommands = hint === undefined || typeof hint === 'string' ? [] : [hint].flat();
  return error.with({ hint: [...hintCommands, ...nextCommands] });
}

function rebootObserver(name: string): Observer<InputOf<typeof servers.reboot>> {
  return {
    watchesActions: true,
    watch: (read, { stack_id, server_id }) => {
      let checkCount = 0;
      let wasUnhealthy = false;
      return {
        name: `the reboot of ${name}`,
        resume: { path: 'server get', operands: [name], stack_id },
        check: async () => {
          const row = await read(servers.get, { stack_id, server_id });
          const health = serverHealthText(row);
          checkCount += 1;
          if (health !== 'healthy') wasUnhealthy = true;
          // A server that is healthy at the second check counts as back, because its health may not show a reboot.
          const isServerBack = health === 'healthy' && (wasUnhealthy || checkCount > 1);
          return { state: isServerBack ? 'good' : 'running', text: `health ${health}`, value: row };
        },
      };
    },
  };
}
