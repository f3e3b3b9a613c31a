import { flag, group, instant, integer, many, oneOf, optional, secret, text } from '../contract/field.ts';
import { operation } from '../contract/operation.ts';
import { type RecordOf, record } from '../contract/record.ts';
import { acknowledgedReply, one, page } from '../contract/reply.ts';
import { resource } from '../contract/resource.ts';
import { jsonText } from '../contract/values/json.ts';
import { suggestsSecret } from '../contract/values/text.ts';

const keyParam = text('Name of the environment variable.');
const valueParam = text('Value, exactly as typed.', { sensitive: true });

type VariableParts = Partial<Record<'key' | 'value' | 'is_password', unknown>>;

/** True if the value is masked: it may be a password, or its key or text suggests a secret. */
export function isSecretVariable({ key, value, is_password }: VariableParts): boolean {
  return is_password !== false || suggestsSecret(String(key), valueAsText(value));
}

/** Returns the value of a variable or setting as text: a string unchanged, any other value as JSON. */
export function valueAsText(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'bigint' ? String(value) : jsonText(value);
}

/** True if the key of a variable can be part of the path of a request. */
export function isValidKey(key: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are rejected on purpose
  return /^[^\u0000-\u0020\u007f-\u009f/=]{1,256}$/.test(key) && key !== '.' && key !== '..';
}

export const EnvironmentVariable = record(
  'environment variable',
  {
    key: text('Name of the variable.', { needed: true }),
    value: secret(valueParam),
    readonly: flag('Whether it is read-only.', { label: 'read-only' }),
    is_password: flag('Whether the value is a password.'),
    is_generated: flag('Whether the service generated it.'),
    id: integer('ID of the variable.'),
    created_at: instant('Creation time.', { aliases: ['created_at_iso'] }),
    updated_at: instant('Time of the last change.', { aliases: ['updated_at_iso'] }),
    history: {
      ...many(
        group(
          {
            key: integer('Number of the entry.'),
            value: secret(text('Earlier value.')),
            created_at: instant('Time it was set.', { aliases: ['created_at_iso'] }),
            updated_at: instant('Time it was replaced.', { aliases: ['updated_at_iso'] }),
          },
          'One earlier value.',
        ),
        'Earlier values.',
      ),
      // The history may be missing. Then only the time of the last change is known.
      nullable: true,
    },
  },
  ['key', 'value', 'readonly', 'updated_at'],
  { wrappedColumn: 'value', isSecret: isSecretVariable },
);
export type Variable = RecordOf<typeof EnvironmentVariable>;

const applyStrategies = ['immediately', 'deployment'] as const;
export type ApplyStrategy = (typeof applyStrategies)[number];
export const applyStrategyParam = optional(
  oneOf(applyStrategies, 'When to apply it (default: service decides).', { placeholder: 'when' }),
);
const writeSpec = {
  reply: one(EnvironmentVariable, ['key']),
  undocumented: '`apply_strategy` is sent only when given.',
};
const notFoundHints = { listCommand: 'stack env list', missing: 'environment variable {env_var_key}' };

export const environments = {
  list: operation('GET /stacks/:stack_id/environments', { scope: 'admin', reply: page(EnvironmentVariable) }),
  get: operation('GET /stacks/:stack_id/environments/:env_var_id', {
    scope: 'admin',
    about: 'Show one environment variable by its ID.',
    params: { env_var_id: integer('ID of the environment variable.') },
    reply: one(EnvironmentVariable),
    withheld: 'Operators type names, not IDs; `stack env get` reads the list.',
    listCommand: 'stack env list',
    missing: 'environment variable {env_var_id}',
  }),
  create: operation('POST /stacks/:stack_id/environments', {
    scope: 'admin',
    about: 'Create an environment variable.',
    params: { key: keyParam, value: valueParam, apply_strategy: applyStrategyParam },
    ...writeSpec,
    check: notFoundHints.listCommand,
  }),
  update: operation('PUT /stacks/:stack_id/environments/:env_var_key', {
    scope: 'admin',
    about: 'Change an environment variable.',
    params: { env_var_key: keyParam, value: valueParam, apply_strategy: applyStrategyParam },
    ...writeSpec,
    ...notFoundHints,
  }),
  delete: operation('DELETE /stacks/:stack_id/environments/:env_var_key', {
    scope: 'admin',
    about: 'Delete an environment variable.',
    params: { env_var_key: keyParam },
    reply: acknowledgedReply,
    ...notFoundHints,
  }),
};

export const variable = resource({ list: environments.list, listed: 'stack env list', label: 'KEY' });
