import type { StoredVariable } from './state.ts';

/** Changes a value; the earlier one moves into the history, oldest first. `at` is a time such as `2026-04-14T09:30:00Z`. */
export function changeVariable(variable: StoredVariable, value: string, at: string): void {
  const earlier = {
    key: variable.history.length + 1,
    value: variable.value,
    created_at: variable.updated_at,
    updated_at: at,
  };
  Object.assign(variable, { value, updated_at: at, history: [...variable.history, earlier] });
}
