import type { Menu } from '../../contract/command.ts';
import { one } from '../../contract/reply.ts';
import { readAll } from '../../kinds/resource/find.ts';
import { script } from '../../kinds/script.ts';
import { EnvironmentVariable, environments, variable } from '../../resources/env.ts';
import { inStack } from '../../resources/shared.ts';
import type { Services } from '../services.ts';
import { copy } from './copy.ts';
import { edit } from './edit/edit.ts';
import type { EditorServices } from './edit/editor.ts';
import { diff } from './files/diff.ts';
import { exportCommand } from './files/export.ts';
import { importCommand } from './files/import.ts';
import { history } from './history.ts';
import { list } from './list.ts';
import { envRollback } from './rollback.ts';
import { runWithVariables } from './run.ts';
import { set } from './set.ts';
import { unset } from './unset.ts';
import { findVariable } from './variable/find-variable.ts';
import { literalText } from './variable/value.ts';

const get = (services: Services) =>
  script({
    about: 'Print the value of an environment variable.',
    params: { stack_id: inStack, key: variable.argumentField },
    positionals: ['key'],
    examples: ['stackops stack env get LOG_LEVEL -s shop'],
    calls: [environments.list],
    output: { kind: 'value', reply: one(EnvironmentVariable) },
    isRead: true,
    run: async (context, input) => findVariable(context, services, await readAll(context, variable, input), input),
    present: (row) => ({ kind: 'value', text: literalText(row) }),
  });

/** `stack env` and everything below it. */
export function envCommands(services: EditorServices & Services): Menu {
  return {
    'stack env list': list,
    'stack env get': get(services),
    'stack env set': set,
    'stack env unset': unset,
    'stack env copy': copy,
    'stack env diff': diff,
    'stack env edit': edit(services),
    'stack env export': exportCommand,
    'stack env import': importCommand,
    'stack env history': history(services),
    'stack env rollback': envRollback(services),
    'stack env run': runWithVariables(services.programs),
  };
}
