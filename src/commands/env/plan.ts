import { createObserver, isMadeOrAccepted, withObservation } from '../../builders/execute/send.ts';
import { changeRecord, isUnderWay } from '../../builders/execute/summary.ts';
import { refuseReadonly } from '../../builders/resource/find.ts';
import { assertModelMaySet } from '../../builders/write.ts';
import type { Context } from '../../contract/command.ts';
import { flag, integer, nullable, optional, secret, text } from '../../contract/field.ts';
import type { Operation } from '../../contract/operation.ts';
import type { Change, Plan, Step } from '../../contract/plan.ts';
import type { RecordType } from '../../contract/record.ts';
import { mask } from '../../contract/values/text.ts';
import { CliError, readOrUndefined } from '../../errors/cli-error.ts';
import { deployments, recentLimit } from '../../resources/deployment.ts';
import { applyStrategyParam, environments, isSecretVariable, type Variable } from '../../resources/env.ts';
import { overwriteError, summarizeVariables } from './summary.ts';
import {
  changeStateOf,
  isAsWanted,
  isHidden,
  recordedValues,
  textOrNullWord,
  type VariableChange,
  type VariableWrite,
  valueBefore,
  valueNow,
  variableChangeRecord,
  type WantedVariable,
} from './variable.ts';

/** Pairs each wanted variable with its current row. Throws `usage` for a mask in place of a value. */
export function variableChanges<One extends WantedVariable>(wanted: readonly One[], options: VariableWrite) {
  const { oldRows, origin, stack_id } = options;
  const changes = wanted.map((one): One & VariableChange => ({ ...one, before: findByKey(oldRows, one.key), origin }));
  const maskedChange = changes.find(({ key, value, before }) => {
    const is_password = before !== undefined && before.is_password !== false;
    return value === mask && isSecretVariable({ key, value, is_password });
  });
  if (!maskedChange) return changes;
  // The mask was probably copied from `env list --json`.
  const hint = { path: 'stack env export', stack_id };
  throw new CliError('usage', `${maskedChange.key}: ${mask} is the mask, not a value`, { hint });
}

/** Plans changes of variables of one stack. Throws `rejected` if a variable that would change is read-only. */
export function planVariables(context: Context, wanted: readonly WantedVariable[], options: VariableWrite): Plan {
  const { stack_id, redeploy } = options;
  const variables = variableChanges(wanted, options);
  if (options.origin === 'arguments') assertModelMaySetAll(context, variables, stack_id);
  refuseReadonly(variables.filter(({ before, value }) => !isAsWanted(before, value)).map(({ before }) => before));
  return {
    steps: variables.map((variable) => variableStep(variable, context, options)),
    finish: async (changes) => {
      const madeVariables = variables.filter((_, at) => isMadeOrAccepted(changes[at] as Change));
      await readBackValues(context, madeVariables, options);
      return variables.map((variable, at) => finishedChange(context, variable, changes[at] as Change));
    },
    waits: redeploy || undefined,
    followUp: async (changes) => (redeploy && changes.some(isUnderWay) ? planRedeploy(context, stack_id) : undefined),
    summarize: (changes) => summarizeVariables(variables, changes, options),
  };
}

function assertModelMaySetAll(context: Context, variables: readonly VariableChange[], stack_id: string): void {
  for (const variable of variables) {
    const { key, value } = variable;
    if (value === null) continue;
    const byPerson = { path: 'stack env set', operands: [key], flags: ['--stdin'], stack_id };
    assertModelMaySet(context, { name: key, value, isSecret: isHidden(variable), byPerson });
  }
}

function findByKey(rows: readonly Variable[], name: string): Variable | undefined {
  return rows.find(({ key }) => key === name);
}

function variableStep(variable: VariableChange, context: Context, options: VariableWrite): Step {
  const { key, before, value } = variable;
  const { stack_id, check, redeploy, isFinal } = options;
  return {
    id: { key },
    name: key,
    change: changeStateOf(variable),
    ...recordedValues(variable, context),
    isIdle: isAsWanted(before, value),
    basis: before && textOrNullWord(before),
    send: async () => {
      await check?.(variable);
      // With --dry-run a secret is printed only if it was typed as an argument.
      const isValuePrinted = context.dryRun && variable.origin === 'arguments' && !context.forApproval;
      const { operation: writeOperation, input } = requestFor(variable, options);
      const operation = isHidden(variable) && !isValuePrinted ? withSecretValue(writeOperation) : writeOperation;
      const observer = createObserver(operation, async (read) => {
        const row = findByKey(await read(environments.list, { stack_id }), key);
        return isAsWanted(row, value) && (row ?? true);
      });
      const replacedValue = { kind: 'variable', key, before: valueBefore(variable), after: value } as const;
      const replaces = isFinal ? undefined : [replacedValue];
      // With --redeploy the change is waited for, because the deployment that follows must contain it.
      return context.call(operation, input, { observer, replaces, wait: redeploy || undefined });
    },
    done: (reply) => {
      // A reply without these fields is not the variable: some services respond with an action, or with only `ok`.
      if (reply?.key !== undefined && reply.value !== undefined) variable.after = reply;
      return recordedValues(variable, context);
    },
  };
}

export function withSecretValue(operation: Operation): Operation {
  const { value } = operation.params;
  return value ? { ...operation, params: { ...operation.params, value: secret(value) } } : operation;
}

function requestFor({ key, value, before }: VariableChange, { stack_id, apply_strategy }: VariableWrite) {
  const strategyInput = apply_strategy && { apply_strategy };
  const makeRequest = (operation: Operation, input: object) => ({ operation, input: { stack_id, ...input } });
  if (value === null) return makeRequest(environments.delete, { env_var_key: key });
  if (!before) return makeRequest(environments.create, { key, value, ...strategyInput });
  return makeRequest(environments.update, { env_var_key: key, value, ...strategyInput });
}

/** Reads the variables whose responses do not show the new values. If there are none, nothing is read. */
async function readBackValues(context: Context, variables: readonly VariableChange[], options: VariableWrite) {
  // A response may still show the old value. Then the new value counts as not shown.
  const isNewValueUnshown = ({ before, after }: VariableChange) =>
    !after || (before && isAsWanted(after, textOrNullWord(before)));
  const shouldReadBack = (one: VariableChange) =>
    one.value === null ? context.wait || options.redeploy : one.origin === 'history' || isNewValueUnshown(one);
  const unread = variables.filter(shouldReadBack);
  if (unread.length === 0) return;
  const rows = await context.call(environments.list, { stack_id: options.stack_id });
  for (const variable of unread) variable.after = findByKey(rows, variable.key) ?? null;
}

function finishedChange(context: Context, variable: VariableChange, sentChange: Change): Change {
  const { key: name, value: requested } = variable;
  const [before, now] = [valueBefore(variable), valueNow(variable)];
  const observation = { name, before, requested, now, hasRequestedValue: now === requested };
  const change = isMadeOrAccepted(sentChange) ? withObservation(context, sentChange, observation) : sentChange;
  return { ...change, ...recordedValues(variable, context), ...(isUnderWay(change) && overwriteError(variable)) };
}

export const envChangeParams = {
  apply_strategy: applyStrategyParam,
  redeploy: optional(flag('Redeploy once, after all changes succeeded.')),
  allow_empty: optional(flag('Accept an empty value in place of another.')),
};

export const redeployCalls = [deployments.list, deployments.create];

/** The change record of a variable, or of the deployment that follows. Its table has the columns of a variable. */
const redeployRecord: RecordType = {
  ...changeRecord(
    {
      key: optional(text('Name of the environment variable.')),
      id: optional(nullable(integer('ID of the deployment, with --redeploy.'))),
    },
    { before: text('Its value; `***` for a secret.') },
  ),
  columns: variableChangeRecord.columns,
};

export const redeployDeclaration = {
  calls: [...redeployCalls, environments.list, environments.create, environments.update],
  record: redeployRecord,
  // --redeploy also has these exit codes, because it waits for each change.
  exits: [
    [8, 'with --wait or --redeploy: not finished in time, or result not seen'],
    [9, 'with --wait or --redeploy: the operation failed'],
  ],
  printsList: true,
} as const;

export async function planRedeploy(context: Context, stack_id: string): Promise<Plan> {
  const { planDeployment } = await import('../deployment/plan.ts');
  const rows = await readOrUndefined(context.call(deployments.list, { stack_id }, { limit: recentLimit }));
  return planDeployment(context, { request: { stack_id }, busySigns: { deployments: rows }, details: () => [] });
}
