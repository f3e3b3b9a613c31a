import type { Observer } from '../../contract/observe.ts';
import type { InputOf } from '../../contract/operation.ts';
import type { RecordOf } from '../../contract/record.ts';
import type { Acknowledgement } from '../../contract/reply.ts';
import { type EnvironmentVariable, environments } from '../../resources/env.ts';
import { settled } from './settled.ts';

type Variable = RecordOf<typeof EnvironmentVariable>;

export const createVariableObserver: Observer<InputOf<typeof environments.create>, undefined, Variable> = {
  look: async (read, { stack_id, key, value }) =>
    (await read(environments.list, { stack_id })).find((one) => one.key === key && one.value === value),
};

export const updateVariableObserver: Observer<InputOf<typeof environments.update>, undefined, Variable> = {
  look: async (read, { stack_id, env_var_key, value }) =>
    (await read(environments.list, { stack_id })).find((one) => one.key === env_var_key && one.value === value),
};

export const deleteVariableObserver: Observer<InputOf<typeof environments.delete>, undefined, Acknowledgement> = {
  look: async (read, { stack_id, env_var_key }) =>
    (await read(environments.list, { stack_id })).some(({ key }) => key === env_var_key) ? undefined : settled,
};
