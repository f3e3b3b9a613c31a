import type { Context } from '../contract/command.ts';
import type { Input, ResolveTarget } from '../contract/field.ts';
import { isWriteOperation } from '../contract/operation.ts';
import type { Plan, Question } from '../contract/plan.ts';
import { unsentReply } from '../contract/reply.ts';
import { once } from '../contract/values/once.ts';
import { fieldAt } from '../output/field-path.ts';
import { withoutProgress } from '../output/progress.ts';
import { canRedraw } from '../output/safe/create-output.ts';
import { hasDataFormat } from '../output/view.ts';
import type { Run } from './app.ts';
import type { Confirmation } from './confirm.ts';
import { printEvent } from './write-result.ts';

export function resolveUnderProgress({ line, progress }: Run, resolve: ResolveTarget): ResolveTarget {
  return (field, word, targets) => progress.during(line.path, () => resolve(field, word, targets));
}

/** With a protected profile each change at the service needs a typed name: of the question, else of the profile. */
export function confirmationFor(
  { line, session, isProtected }: Run,
  { stack_id }: Input,
  question?: Question,
  { steps = [], preview }: Partial<Plan> = {},
): Confirmation | undefined {
  const { confirm, isLocal } = line.command;
  const protection = !isLocal && isProtected() && ({ level: 'typed', because: 'protected profile' } as const);
  if (confirm && question) {
    return { ...question, act: confirm.act, level: question.level ?? confirm.level, ...protection };
  }
  if (!protection) return undefined;
  return {
    ...protection,
    act: `Run "${line.path}" with the protected profile`,
    name: session.settings.profile,
    details: async () => [
      ...(typeof stack_id === 'string' ? [`stack ${await session.readStackTitle(stack_id)}`] : []),
      // A preview, which is printed above the question, shows the steps already.
      ...(preview ? [] : (await import('./confirm.ts')).stepTexts(steps)),
    ],
  };
}

function interactiveContext(run: Run) {
  const { app, session, view, progress } = run;
  return {
    during: progress.during,
    redraws: canRedraw(app.err, app.env) && !view.quiet,
    printsData: hasDataFormat(view) || view.asRows === true,
    approve: async (collectRequests) =>
      void (await (await import('./approval.ts')).approvePlan(run, collectRequests, Number.POSITIVE_INFINITY)),
    printEvent: (row) => printEvent(run, row),
    relay: async (lines, from) => (await import('./remote-run.ts')).relayLines(run, lines, from),
    recordProgram: async (target) => (await session.changeRunner()).recordProgram(run, target),
  } satisfies Partial<Context>;
}

export function createContext(run: Run, resolve: ResolveTarget): Context {
  const { line, app, session, view, writeOptions, state, say, progress } = run;
  const { options, path, command } = line;
  const { limit, sort, where } = view;
  const isDryRun = () => writeOptions.dryRun || state.isCollectingForApproval;
  return {
    ...interactiveContext(run),
    host: session.commandHost,
    get ask(): Context['ask'] {
      const { ask } = app;
      return ask && ((question, askOptions) => withoutProgress(progress, () => ask(question, askOptions)));
    },
    get isProtected() {
      return run.isProtected();
    },
    get dryRun() {
      return isDryRun();
    },
    get forApproval() {
      return state.isCollectingForApproval;
    },
    wait: writeOptions.wait,
    audience: view,
    command: path,
    reveal: view.reveal,
    keepGoing: options.keep_going ?? false,
    // The limit applies after sorting and filtering, which need all rows.
    limit: sort === undefined && where === undefined ? limit : undefined,
    // Filters on a column that these rows do not have are skipped: with several stacks, a filter may be on `stack`.
    matching: async (rows, fields) => {
      const filters = where?.filter((filter) => fieldAt(fields, filter.path));
      return filters ? (await import('../output/filter-sort.ts')).filterItems(rows, fields, filters) : rows;
    },
    now: app.now,
    elapsed: app.elapsed,
    deadline: app.deadline,
    // One reference for the whole run, so the sent request is equal to the approved request.
    runReference: once(app.reference),
    quote: app.redactor.quote,
    isMcpCall: app.call !== undefined,
    rateLimit: session.rateLimit,
    readText: run.readText,
    note: say.note,
    warn: say.warn,
    resolveTarget: (field, word) => resolve(field, word, {}),
    confirm: async (question) => {
      if (writeOptions.dryRun || !command.confirm) return;
      const confirmation = confirmationFor(run, {}, question);
      if (confirmation) await (await import('./confirm.ts')).confirm(run, confirmation);
    },
    follow: async (watch) => (await session.changeRunner()).follow(run, watch),
    eachPage: (operation, input, take, more) =>
      progress.during(path, () =>
        session.eachPage(operation, input, (rows) => withoutProgress(progress, () => take(rows)), more),
      ),
    call: async (operation, input, more) => {
      // With --dry-run `stackops api` prints reads too.
      if (isDryRun() && (isWriteOperation(operation) || operation.sends === 'raw')) {
        const { createDryRunRequest } = await import('./dry-run.ts');
        run.unsentRequests.push(createDryRunRequest(session, operation, input));
        return unsentReply(operation.reply);
      }
      if (isWriteOperation(operation)) return (await session.changeRunner()).write(run, operation, input, more);
      return progress.during(path, () => session.call(operation, input, more));
    },
  };
}
