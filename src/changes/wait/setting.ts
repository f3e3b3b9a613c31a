import type { Observer, Read } from '../../contract/observe.ts';
import type { InputOf } from '../../contract/operation.ts';
import { type Action, actionWith } from '../../resources/action.ts';
import { serverSettings } from '../../resources/server-setting.ts';
import { settingId } from '../../resources/setting-id.ts';
import { settingText } from '../../resources/setting-text.ts';
import { stackSettings } from '../../resources/stack-setting.ts';
import { patienceMs } from './action.ts';

interface Wish {
  readonly stack_id: string;
  readonly id: string;
  readonly value: string;
}
interface Found {
  readonly key: string;
  readonly value: unknown;
  readonly id?: unknown;
}

export const stackSettingObserver = settingObserver<InputOf<typeof stackSettings.update>>((read, { stack_id }) =>
  read(stackSettings.list, { stack_id }),
);

export const serverSettingObserver = settingObserver<InputOf<typeof serverSettings.update>>(
  (read, { stack_id, server_id }) => read(serverSettings.list, { stack_id, server_id }),
);

/** A setting was changed when it shows the value asked for. */
function settingObserver<Input extends Wish>(
  list: (read: Read, input: Input) => Promise<readonly Found[]>,
): Observer<Input, undefined, Action> {
  const equals = async (read: Read, input: Input): Promise<boolean> => {
    const setting = (await list(read, input)).find((one) => settingId(one) === input.id);
    return setting !== undefined && settingText(setting.value) === input.value;
  };
  return {
    patienceMs,
    look: async (read, input) => ((await equals(read, input)) ? actionWith({ finished_success: true }) : undefined),
  };
}
