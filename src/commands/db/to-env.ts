import { inSentences, kindForChange } from '../../builders/execute/change-each.ts';
import { readAll } from '../../builders/resource/find.ts';
import type { Command, Context, WriteHandler } from '../../contract/command.ts';
import { type CommandLine, targetsOfInput } from '../../contract/command-line.ts';
import { flag, type Input, optional, text, type Values } from '../../contract/field.ts';
import type { Plan } from '../../contract/plan.ts';
import { listInput } from '../../contract/resource.ts';
import { CliError } from '../../errors/cli-error.ts';
import { databaseUser, databaseUsers } from '../../resources/database.ts';
import { environments, variable } from '../../resources/env.ts';
import { readStackTitle } from '../../resources/stack.ts';
import { checkKey } from '../env/change-set.ts';
import { planVariables, redeployCalls } from '../env/plan.ts';

const params = {
  to_env: optional(
    text('Put the new password into a variable of the stack, unseen; needs --wait.', {
      placeholder: 'KEY',
      nameKind: 'environment variable',
    }),
  ),
  redeploy: optional(flag('With --to-env: redeploy once the variable is set.')),
};
/** Stands for a password that is not known yet. It is never printed. */
const passwordPlaceholder = '(new password)';

/** Adds `--to-env` to a command: the new password is read once and set as a variable, and is not printed. */
export function withToEnv(command: Command): Command {
  const { plan, ...handler } = command.handler as WriteHandler;
  return {
    ...command,
    params: { ...command.params, ...params },
    calls: [...command.calls, environments.list, environments.create, environments.update, ...redeployCalls],
    exits: [[1, 'with --to-env: the change was made, and what follows failed']],
    handler: { ...handler, plan: async (context, input) => planToEnv(context, input, await plan(context, input)) },
  };
}

async function planToEnv(context: Context, input: Input, plan: Plan): Promise<Plan> {
  const { to_env: key, redeploy } = input as Values<typeof params>;
  if (key === undefined && redeploy) throw new CliError('usage', '--redeploy needs --to-env');
  if (key === undefined) return plan;
  if (!context.wait) throw new CliError('usage', '--to-env needs --wait', { correction: { add: ['--wait'] } });
  if (context.reveal) throw new CliError('usage', 'use --to-env or --reveal, not both');
  checkKey(key);
  const stack_id = String(input['stack_id']);
  const { uid, username } = plan.steps[0]?.id ?? {};
  const userName = String(username);
  // A user has no ID before its creation, so a missing ID means that the user is new.
  const isNewUser = uid === null;
  let isVariableSet = false;
  const planVariable = async (value: string): Promise<Plan> => {
    const oldRows = await readAll(context, variable, input);
    const options = { stack_id, oldRows, redeploy, origin: 'file', isFinal: true } as const;
    return planVariables(context, [{ key, value, isPassword: true }], options);
  };
  // The variable is planned here, too, so that a read-only one is refused before the password is changed.
  const [plannedStep] = (await planVariable(passwordPlaceholder)).steps;
  const remainingCommands = [
    { path: 'db user list', flags: ['--show-password', '--reveal'], ...targetsOfInput(input) },
    { path: 'stack env set', operands: [key], flags: ['--stdin', ...(redeploy ? ['--redeploy', '-y'] : [])], stack_id },
  ];
  const verb = plannedStep?.before === null ? 'create' : 'update';
  const nextDetails = [`then ${verb} ${key}`, ...(redeploy ? ['then redeploy'] : [])];
  const creationQuestion = {
    name: userName,
    text: async () => `Create database user ${userName} in ${await readStackTitle(context, stack_id)}`,
  };
  return {
    ...plan,
    steps: plan.steps.map((step) => ({
      ...step,
      send: () => step.send().catch((error) => throwVariableUnset(error, key, remainingCommands)),
    })),
    ...((plan.ask || redeploy) && {
      ask: {
        ...(plan.ask ?? creationQuestion),
        details: async () => [...((await plan.ask?.details()) ?? []), ...nextDetails],
      },
    }),
    summarize: (changes) => ({ ...plan.summarize(changes), next: undefined }),
    followUp: async () => {
      const user = isNewUser ? { username: userName } : { uid };
      const password = context.dryRun ? passwordPlaceholder : await readPassword(context, input, user);
      const variablePlan = await planVariable(password);
      return {
        ...variablePlan,
        followUp: async (changes) => {
          isVariableSet = true;
          return variablePlan.followUp?.(changes);
        },
      };
    },
    unfollowed: ({ kind }) => unfollowedState({ key, userName, isNewUser, isVariableSet, remainingCommands }, kind),
  };
}

interface ToEnvState {
  readonly key: string;
  readonly userName: string;
  readonly isNewUser: boolean;
  readonly isVariableSet: boolean;
  readonly remainingCommands: readonly CommandLine[];
}

function unfollowedState(state: ToEnvState, kind: string): ReturnType<NonNullable<Plan['unfollowed']>> {
  const { key, userName, isNewUser, isVariableSet, remainingCommands: hint } = state;
  const endText = isNewUser ? '' : '; the old one no longer works';
  if (isVariableSet) return { text: `${key} holds the new password of ${userName}${endText}` };
  const changeText = isNewUser
    ? `Database user ${userName} was created`
    : `The password of ${userName} was changed, and the old one no longer works`;
  if (kind === 'outcome_unknown') return { text: `${changeText}; ${key} may hold either` };
  return { text: `${changeText}; ${key} does not hold ${isNewUser ? 'its password' : 'the new one'}`, hint };
}

/** Throws `error`. If the password may have changed, the message of `error` also says that the variable was not set. */
function throwVariableUnset(error: unknown, key: string, remainingCommands: readonly CommandLine[]): never {
  if (!(error instanceof CliError) || !['pending', 'outcome_unknown'].includes(kindForChange(error))) throw error;
  const { hint } = error.details;
  const message = inSentences([error.message, `${key} was not set`]);
  throw error.with(typeof hint === 'object' ? { hint: [hint, remainingCommands].flat() } : {}, message);
}

async function readPassword(context: Context, input: Input, user: Input): Promise<string> {
  const users = await context.call(databaseUsers.list, { ...listInput(databaseUser, input), show_password: true });
  const isOfUser = (row: Input) => Object.entries(user).every(([field, value]) => row[field] === value);
  const password = users.find(isOfUser)?.password;
  if (password) return password;
  throw new CliError('unavailable', 'the service does not show the new password');
}
