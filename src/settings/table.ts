import { type Field, flag, integer, oneOf, text } from '../contract/field.ts';

/** A setting: a field whose value and preset are text. */
interface SettingSpec extends Field {
  readonly flag?: string;
  readonly variable?: string;
  /** Where the value is stored. `anywhere`: profile or preferences. `recorded`: profile, beside another value. */
  readonly stored: 'profile' | 'anywhere' | 'nowhere' | 'recorded';
  /** True if the value is a program, which is run only if no other user could have set it. */
  readonly isProgram?: true;
}

/** Maximum duration that an option or a setting accepts: a week. */
export const maxDurationMs = 168 * 3_600_000;

const inProfile = storedIn('profile');
const anywhere = storedIn('anywhere');
const nowhere = storedIn('nowhere');
const recorded = storedIn('recorded');

function storedIn(stored: SettingSpec['stored']) {
  return (field: Field, more: Partial<SettingSpec> = {}): SettingSpec => ({ ...field, ...more, stored });
}

const settingSpecs = {
  profile: nowhere(text('Profile to use; stackops profile use sets it.', { format: 'profile', nameKind: 'profile' }), {
    flag: '--profile',
    variable: 'STACKOPS_PROFILE',
    preset: 'default',
  }),
  base_url: inProfile(text('Address of the service, ending with its version.', { format: 'address' }), {
    flag: '--base-url',
    variable: 'STACKOPS_BASE_URL',
  }),
  auth_url: inProfile(text('Address of the sign-in pages (default: the origin of base_url).', { format: 'address' }), {
    variable: 'STACKOPS_AUTH_URL',
  }),
  stack: inProfile(text('Stack to act on: UID or exact name.', { format: 'line', nameKind: 'stack' }), {
    flag: '--stack',
    variable: 'STACKOPS_STACK',
  }),
  stack_name: recorded(text('Name by which stack was chosen; recorded by `stack use`.', { format: 'line' })),
  server_group: inProfile(
    text('Server group to act on: ID or exact name.', { format: 'line', nameKind: 'server group' }),
    { flag: '--server-group', variable: 'STACKOPS_SERVER_GROUP' },
  ),
  account: inProfile(integer('Account to act in.', { range: [1, Number.MAX_SAFE_INTEGER], nameKind: 'account' }), {
    flag: '--account',
    variable: 'STACKOPS_ACCOUNT',
  }),
  token_command: inProfile(
    text('Program that prints the token, with its arguments; run without a shell.', { format: 'program' }),
    { isProgram: true },
  ),
  token_command_origin: recorded(
    text('Origin that token_command is run for; recorded when that is set.', { format: 'address' }),
  ),
  approve_command: inProfile(
    text('Program that must approve every change at the service; run without a shell.', { format: 'program' }),
    { isProgram: true },
  ),
  approve_command_trusted: recorded(flag('Whether only you could set approve_command; recorded when that is set.')),
  secret_command: inProfile(
    text('Program that prints a secret of a stack file; its last argument is the reference. Run without a shell.', {
      format: 'program',
    }),
    { isProgram: true },
  ),
  gateway_key: inProfile(text('File with the private key that opens gateways for server ssh.', { format: 'path' })),
  gateway_key_origin: recorded(
    text('Origin that gateway_key is sent to; recorded when that is set.', { format: 'address' }),
  ),
  notify: inProfile(
    text('Notice after a wait of more than 10 s: bell, desktop, or a program that reads the result as JSON.', {
      format: 'program',
    }),
    { isProgram: true },
  ),
  agents: inProfile(
    oneOf(['read', 'plan', 'safe', 'write'], 'What coding agents may do; safe: no secrets, no typed names.'),
    { preset: 'safe' },
  ),
  protected: inProfile(flag('Whether every change must be confirmed by typing a name.'), { preset: 'false' }),
  readonly: inProfile(flag('Whether every change at the service is refused.'), {
    flag: '--read-only',
    variable: 'STACKOPS_READ_ONLY',
    preset: 'false',
  }),
  client_id: inProfile(text('OAuth client ID, for signing in with the browser.', { format: 'line' }), {
    flag: '--client-id',
    variable: 'STACKOPS_CLIENT_ID',
  }),
  scope: inProfile(text('Scopes to request when signing in.', { format: 'scopes' }), {
    flag: '--scope',
    preset: 'public,redeploy,users,admin',
  }),
  scope_separator: inProfile(oneOf(['comma', 'space'], 'Separator of scopes in the sign-in address.'), {
    preset: 'comma',
  }),
  callback_port: anywhere(integer('Local port for the sign-in redirect; 0 for any free one.', { range: [0, 65_535] }), {
    flag: '--callback-port',
    preset: '34543',
  }),
  sandbox: nowhere(flag('Whether commands run against the embedded sandbox.'), {
    flag: '--sandbox',
    variable: 'STACKOPS_SANDBOX',
    preset: 'false',
  }),
  output: anywhere(
    oneOf(
      ['table', 'tsv', 'csv', 'md', 'json', 'yaml', 'ndjson'],
      'Output format (default: table on a terminal, else tsv).',
    ),
    { flag: '--output', variable: 'STACKOPS_OUTPUT' },
  ),
  color: anywhere(oneOf(['always', 'never', 'auto'], 'When to use colour.'), {
    flag: '--color',
    variable: 'STACKOPS_COLOR',
    preset: 'auto',
  }),
  timeout: anywhere(
    integer(
      'Time limit of a request, retries included. An attempt ends after 60 s, a download after 30 s without data.',
      { unit: 'ms', bareUnit: 's', range: [1, maxDurationMs] },
    ),
    { flag: '--timeout', variable: 'STACKOPS_TIMEOUT', preset: '120s' },
  ),
  retries: anywhere(integer('How often a failed read is retried.', { range: [0, 10] }), {
    variable: 'STACKOPS_RETRIES',
    preset: '3',
  }),
  reconcile: anywhere(flag('Whether to check if a change that got no response was applied.'), {
    variable: 'STACKOPS_RECONCILE',
    preset: 'true',
  }),
  csv_raw: anywhere(flag('Whether CSV omits the quote in front of formulas.'), {
    variable: 'STACKOPS_CSV_RAW',
    preset: 'false',
  }),
  journal: anywhere(
    oneOf(
      ['on', 'off', 'required'],
      'Whether to record changes for stackops history. With required, no change is sent without a record.',
    ),
    { variable: 'STACKOPS_JOURNAL', preset: 'on' },
  ),
};

export type SettingName = keyof typeof settingSpecs;

/** Every setting, by its name in files and in `config get`. */
export const settingTable: Readonly<Record<SettingName, SettingSpec>> = settingSpecs;

export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(settingTable, name);
}

export function settingNames(): readonly SettingName[] {
  return Object.keys(settingTable).filter(isSettingName);
}

/** Where a value comes from. `name` is the flag, or the name of the variable, the profile or the program. */
export interface ValueOrigin {
  readonly kind: OriginKind;
  readonly name?: string | undefined;
}

type OriginKind = SettingOrigin | 'token_command' | 'sign-in' | 'sandbox';
type SettingOrigin = 'flag' | 'environment' | ProfileOrigin | 'preferences' | 'default' | 'origin of base_url';
type ProfileOrigin = 'profile' | 'active profile' | 'unknown profile';

/** Returns an origin as text, such as `flag --stack`, `environment STACKOPS_STACK` or `token_command (op)`. */
export function originText({ kind, name }: ValueOrigin): string {
  if (name === undefined) return kind;
  return kind === 'token_command' ? `${kind} (${name})` : `${kind} ${name}`;
}
