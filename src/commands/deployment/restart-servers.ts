import { linesOf, verbs } from '../../builders/execute/summary.ts';
import type { Context } from '../../contract/command.ts';
import type { CommandLine } from '../../contract/command-line.ts';
import type { Observer } from '../../contract/observe.ts';
import type { InputOf } from '../../contract/operation.ts';
import type { Plan, Step } from '../../contract/plan.ts';
import { CliError, refusal } from '../../errors/cli-error.ts';
import { healthOf, type ServerRow, servers } from '../../resources/server.ts';
import { describeStack } from '../../resources/stack.ts';
import { checkBusy, type IfBusy, readBusyState } from './if-busy.ts';

/** Reboots the servers of a stack, each once the one before has come back. */
export async function planReboots(context: Context, stack_id: string, if_busy: IfBusy): Promise<Plan> {
  const [rows, seen] = await Promise.all([
    context.call(servers.list, { stack_id }),
    readBusyState(context, stack_id, if_busy),
  ]);
  if (rows.length === 0) throw refusal('the stack has no servers');
  // Only its health shows that a server has come back.
  const unseen = rows.find(({ health_state }) => health_state == null);
  if (unseen) {
    throw new CliError('unavailable', `the service does not show the health of ${unseen.name}`, { nothing: 'sent' });
  }
  const toWait = { path: 'restart', flags: ['--servers', '--if-busy', 'wait'], stack_id };
  const { skipped, whenFree } = checkBusy(context, stack_id, { seen, if_busy, toWait });
  if (skipped) return skipped;
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
        const reboot = context.call(servers.reboot, target, { wait: true, observer: untilBack(name) });
        await reboot.catch((error: unknown) => {
          throw withRest(error, rebootLines(rows.slice(at + 1), stack_id));
        });
      },
    }),
  );
  return {
    isList: true,
    atOnce: 1,
    steps,
    // Each step waits for its own reboot.
    waits: false,
    ask: {
      level: 'typed',
      name: () => describeStack(context, stack_id),
      text: async () => `Reboot the servers of ${await describeStack(context, stack_id)} one after another`,
      details: () => rows.map((row) => `${row.name} ${healthOf(row)}`),
    },
    summarize: (changes) => ({ lines: linesOf(steps, changes, { verb: verbs.reboot }) }),
  };
}

function rebootLines(rest: readonly ServerRow[], stack_id: string): readonly CommandLine[] {
  return rest.map(({ name }) => ({ path: 'server reboot', operands: [name], flags: ['--wait'], stack_id }));
}

function withRest(error: unknown, rest: readonly CommandLine[]): unknown {
  if (!(error instanceof CliError) || rest.length === 0) return error;
  const { hint } = error.details;
  const first = hint === undefined || typeof hint === 'string' ? [] : [hint].flat();
  return error.with({ hint: [...first, ...rest] });
}

function untilBack(name: string): Observer<InputOf<typeof servers.reboot>> {
  return {
    watchesActions: true,
    watch: (read, { stack_id, server_id }) => {
      let checks = 0;
      let hasLeft = false;
      return {
        name: `the reboot of ${name}`,
        resume: { path: 'server get', operands: [name], stack_id },
        check: async () => {
          const row = await read(servers.get, { stack_id, server_id });
          const health = healthOf(row);
          checks += 1;
          if (health !== 'healthy') hasLeft = true;
          // A server that is healthy at the second check has come back already, or its health does not show a reboot.
          const isBack = health === 'healthy' && (hasLeft || checks > 1);
          return { state: isBack ? 'good' : 'running', text: `health ${health}`, value: row };
        },
      };
    },
  };
}
