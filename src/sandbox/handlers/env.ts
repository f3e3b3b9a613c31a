import { type HandlersOf, refuse, stackOf } from '../context.ts';
import { isoStamp } from '../seed/made-up.ts';
import { variableRow } from '../seed/rows.ts';
import type { StackState, VariableRecord } from '../state.ts';

export const environmentHandlers: HandlersOf<'environments'> = {
  list: (context, { stack_id }) => stackOf(context, stack_id).variables,
  get: (context, { stack_id, env_var_id }) =>
    stackOf(context, stack_id).variables.find(({ id }) => id === env_var_id) ??
    refuse(404, `environment variable ${env_var_id} not found`),
  create: (context, { stack_id, key, value }) => {
    const { variables } = stackOf(context, stack_id);
    if (key === '' || /[=\p{Cc}]/u.test(key)) refuse(400, `"${key}" is not a valid environment variable name`);
    if (variables.some((other) => other.key === key)) refuse(400, `environment variable "${key}" already exists`);
    const variable = variableRow(context.state.next.variable++, { key, value }, isoStamp(context.now));
    variables.push(variable);
    return variable;
  },
  update: (context, { stack_id, env_var_key, value }) => {
    const variable = findChangeableVariable(stackOf(context, stack_id), env_var_key);
    if (variable.value !== value) changeVariable(variable, value, isoStamp(context.now));
    return variable;
  },
  delete: (context, { stack_id, env_var_key }) => {
    const stack = stackOf(context, stack_id);
    const variable = findChangeableVariable(stack, env_var_key);
    stack.variables = stack.variables.filter((other) => other !== variable);
    return { ok: true, message: `Environment variable ${env_var_key} deleted.` };
  },
};

function findChangeableVariable({ variables }: StackState, key: string): VariableRecord {
  const variable = variables.find((one) => one.key === key) ?? refuse(404, `environment variable "${key}" not found`);
  if (variable.readonly) refuse(400, `environment variable "${key}" is read-only`);
  return variable;
}

/** Changes the value of a variable and adds the old value to the end of its history. `at` is a time in ISO 8601. */
export function changeVariable(variable: VariableRecord, value: string, at: string): void {
  const { history, value: oldValue, updated_at: created_at } = variable;
  const oldEntry = { key: history.length + 1, value: oldValue, created_at, updated_at: at };
  Object.assign(variable, { value, updated_at: at, history: [...history, oldEntry] });
}
