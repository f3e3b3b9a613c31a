import {
  type Check,
  commandLine,
  duration,
  filePath,
  oneWordOf,
  onOrOff,
  profileName,
  scopeList,
  serviceAddress,
  singleLine,
  wholeNumber,
} from './values.ts';

export interface SettingSpec {
  readonly about: string;
  readonly flag?: string;
  readonly variable?: string;
  /**
   * `profile`: in a profile; `anywhere`: there or among the preferences of all profiles; `recorded`: in a profile
   * beside another setting, never set by hand.
   */
  readonly stored: 'profile' | 'anywhere' | 'nowhere' | 'recorded';
  readonly preset?: string;
  /** A program, run only when no other user could have set it. */
  readonly isRun?: true;
  readonly check: Check;
}

const table = {
  profile: {
    about: 'Profile to use; stackops profile use sets it.',
    flag: '--profile',
    variable: 'STACKOPS_PROFILE',
    stored: 'nowhere',
    preset: 'default',
    check: profileName,
  },
  base_url: {
    about: 'Address of the service, ending with its version.',
    flag: '--base-url',
    variable: 'STACKOPS_BASE_URL',
    stored: 'profile',
    check: serviceAddress,
  },
  auth_url: {
    about: 'Address of the sign-in pages (default: the origin of base_url).',
    variable: 'STACKOPS_AUTH_URL',
    stored: 'profile',
    check: serviceAddress,
  },
  stack: {
    about: 'Stack to act on: UID or exact name.',
    flag: '--stack',
    variable: 'STACKOPS_STACK',
    stored: 'profile',
    check: singleLine,
  },
  stack_name: {
    about: 'Name by which stack was chosen; recorded by `stack use`.',
    stored: 'recorded',
    check: singleLine,
  },
  server_group: {
    about: 'Server group to act on: ID or exact name.',
    flag: '--server-group',
    variable: 'STACKOPS_SERVER_GROUP',
    stored: 'profile',
    check: singleLine,
  },
  account: {
    about: 'Account to act in.',
    flag: '--account',
    variable: 'STACKOPS_ACCOUNT',
    stored: 'profile',
    check: wholeNumber(1, Number.MAX_SAFE_INTEGER),
  },
  token_command: {
    about: 'Program that prints the token, with its arguments; run without a shell.',
    stored: 'profile',
    isRun: true,
    check: commandLine,
  },
  token_command_origin: {
    about: 'Origin that token_command is run for; recorded when that is set.',
    stored: 'recorded',
    check: serviceAddress,
  },
  approve_command: {
    about: 'Program that must approve every change at the service; run without a shell.',
    stored: 'profile',
    isRun: true,
    check: commandLine,
  },
  approve_command_trusted: {
    about: 'Whether only you could set approve_command; recorded when that is set.',
    stored: 'recorded',
    check: onOrOff,
  },
  gateway_key: {
    about: 'File with the private key that opens gateways for server ssh.',
    stored: 'profile',
    check: filePath,
  },
  notify: {
    about: 'Notice after a wait of more than 10 s: bell, desktop, or a program that reads the result as JSON.',
    stored: 'profile',
    isRun: true,
    check: commandLine,
  },
  protected: {
    about: 'Whether every change must be confirmed by typing a name.',
    stored: 'profile',
    preset: 'false',
    check: onOrOff,
  },
  readonly: {
    about: 'Whether every change at the service is refused.',
    flag: '--read-only',
    variable: 'STACKOPS_READ_ONLY',
    stored: 'profile',
    preset: 'false',
    check: onOrOff,
  },
  client_id: {
    about: 'OAuth client ID, for signing in with the browser.',
    flag: '--client-id',
    variable: 'STACKOPS_CLIENT_ID',
    stored: 'profile',
    check: singleLine,
  },
  scope: {
    about: 'Scopes to request when signing in.',
    flag: '--scope',
    stored: 'profile',
    preset: 'public,redeploy,users,admin',
    check: scopeList,
  },
  scope_separator: {
    about: 'Separator of scopes in the sign-in address.',
    stored: 'profile',
    preset: 'comma',
    check: oneWordOf(['comma', 'space']),
  },
  callback_port: {
    about: 'Local port for the sign-in redirect; 0 for any free one.',
    flag: '--callback-port',
    stored: 'anywhere',
    preset: '34543',
    check: wholeNumber(0, 65_535),
  },
  sandbox: {
    about: 'Whether commands run against the embedded sandbox.',
    flag: '--sandbox',
    variable: 'STACKOPS_SANDBOX',
    stored: 'nowhere',
    preset: 'false',
    check: onOrOff,
  },
  output: {
    about: 'Output format (default: table on a terminal, else tsv).',
    flag: '--output',
    variable: 'STACKOPS_OUTPUT',
    stored: 'anywhere',
    check: oneWordOf(['table', 'tsv', 'csv', 'json', 'yaml', 'ndjson']),
  },
  color: {
    about: 'When to use colour.',
    flag: '--color',
    variable: 'STACKOPS_COLOR',
    stored: 'anywhere',
    preset: 'auto',
    check: oneWordOf(['always', 'never', 'auto']),
  },
  timeout: {
    about: 'Time limit of a request, retries included. An attempt ends after 60 s, a download after 30 s without data.',
    flag: '--timeout',
    variable: 'STACKOPS_TIMEOUT',
    stored: 'anywhere',
    preset: '120s',
    check: duration,
  },
  retries: {
    about: 'How often a failed read is retried.',
    variable: 'STACKOPS_RETRIES',
    stored: 'anywhere',
    preset: '3',
    check: wholeNumber(0, 10),
  },
  reconcile: {
    about: 'Whether to check if a change that got no response was applied.',
    variable: 'STACKOPS_RECONCILE',
    stored: 'anywhere',
    preset: 'true',
    check: onOrOff,
  },
  csv_raw: {
    about: 'Whether CSV omits the quote in front of formulas.',
    variable: 'STACKOPS_CSV_RAW',
    stored: 'anywhere',
    preset: 'false',
    check: onOrOff,
  },
  journal: {
    about: 'Whether to record changes for stackops history. With required, no change is sent without a record.',
    variable: 'STACKOPS_JOURNAL',
    stored: 'anywhere',
    preset: 'on',
    check: oneWordOf(['on', 'off', 'required']),
  },
} satisfies Record<string, SettingSpec>;

export type SettingName = keyof typeof table;

/** Every setting. The key is its name in files and in `config get`. */
export const settingTable: Readonly<Record<SettingName, SettingSpec>> = table;

export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(settingTable, name);
}

export function settingNames(): readonly SettingName[] {
  return Object.keys(settingTable).filter(isSettingName);
}
