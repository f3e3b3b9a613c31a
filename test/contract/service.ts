import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import * as sample from './samples.ts';

/**
 * A request and its reply. The service of this file is written by hand from the service's document alone: it imports nothing of
 * src, and replies to each of the 60 operations as the document prints it, and to those beside it as public material shows.
 */
export interface Exchange {
  readonly method: string;
  /** Below the version segment, still percent-encoded, with its query. */
  readonly target: string;
  readonly authorization: string | undefined;
  readonly contentType: string | undefined;
  readonly body: unknown;
  /** What it was answered with. */
  readonly answer: unknown;
}

export interface DocumentedOptions {
  /** Requests answered with 403, such as `GET /clusters`. */
  readonly forbidden?: readonly string[];
  /** Which of the two documented shapes the list of server settings has. */
  readonly serverSettings?: 'warned' | 'dated';
  /** What is sent in place of an answer, as JSON: `GET /users` and the text of its answer. */
  readonly sends?: (request: string, text: string) => string;
}

export interface DocumentedService {
  readonly url: string;
  readonly seen: readonly Exchange[];
}

type Received = Omit<Exchange, 'answer'>;

interface Answer {
  readonly status: number;
  /** Undefined: no body at all. */
  readonly body: unknown;
}
type Route = readonly [method: string, path: string, answer: Answer | ((body: unknown) => Answer)];

const ok = (body: unknown): Answer => ({ status: 200, body });
const one = (value: unknown): Answer => ok({ response: value });
const list = (rows: readonly unknown[], perPage = 30): Answer =>
  ok({
    response: rows,
    count: rows.length,
    pagination: { previous: null, next: null, current: 1, per_page: perPage, count: rows.length, pages: 1 },
  });
const done = (message: string): Answer => one({ ok: true, message, added: sample.added });
const empty: Answer = { status: 200, body: undefined };
const queued = (action_type: string, resource_type: string): Answer =>
  one({ ...sample.queuedAction, action_type, resource_type });

const stack = `/stacks/${sample.stack}`;
const server = `${stack}/servers/${sample.server}`;
const group = `${stack}/server_groups/21`;
const tags = `/tags/server/${sample.server}`;

/** In the order of the document. */
function routesFor({ serverSettings = 'warned' }: DocumentedOptions): readonly Route[] {
  return [
    ['GET', '/users/7', one(sample.wholeUser)],
    ['GET', '/users', list([sample.user])],
    ['PUT', '/users/7', (body) => ok({ ...sample.wholeUser, access_profile: merged(body) })],
    ['POST', '/users/7/devices', one(sample.device)],
    ['PUT', '/users/7/devices', empty],
    ['DELETE', '/users/7/devices/device-token-1', empty],

    ['GET', '/accounts', list([sample.account])],
    ['GET', '/accounts/42', one(sample.account)],
    ['GET', '/accounts/42?include_servers=true', one(sample.wholeAccount)],
    ['POST', '/accounts/otp', one(sample.oneTimePassword)],

    ['GET', '/accounts/42/gateways', list([sample.gateway])],
    ['POST', '/accounts/42/gateways', one({ ok: true, added: sample.added })],
    ['PUT', '/accounts/42/gateways/9', one({ ok: true, added: sample.added })],
    ['DELETE', '/accounts/42/gateways/9', empty],

    ['GET', `${stack}/backups`, list([sample.backup])],
    ['GET', `${stack}/backups?group=5&db_type=postgresql`, list([sample.backup])],
    ['GET', `${stack}/backups/501`, one(sample.backup)],
    ['GET', `${stack}/backups/501/files`, list([sample.backupFile])],
    ['GET', `${stack}/backups/501/files/f-1`, one(sample.backupLink)],
    [
      'POST',
      `${stack}/backups`,
      (body) => done(isImport(body) ? 'Import queued for upload' : 'Backup task queued for creation'),
    ],

    ['GET', `${stack}/environments`, list([sample.variable])],
    ['GET', `${stack}/environments/11`, one(sample.variable)],
    ['POST', `${stack}/environments`, one(sample.newVariable)],
    ['PUT', `${stack}/environments/LOG_LEVEL`, one({ ...sample.variable, value: 'debug' })],
    ['DELETE', `${stack}/environments/LOG_LEVEL`, done('Environment variable deleted')],

    ['GET', `${stack}/settings`, list([sample.listedSetting])],
    ['GET', `${stack}/settings/git-branch`, one(sample.singleSetting)],
    ['PUT', `${stack}/settings/31`, one(sample.startedAction)],

    ['GET', `${stack}/servers`, list([sample.machine])],
    ['GET', server, one(sample.machine)],
    ['POST', `${server}/reboot`, done('Server reboot queued')],
    [
      'GET',
      `${server}/settings`,
      list([serverSettings === 'warned' ? sample.warnedServerSetting : sample.datedServerSetting]),
    ],
    ['GET', `${server}/settings/server-name`, one(sample.singleServerSetting)],
    ['PUT', `${server}/settings/server-name`, one({ ...sample.startedAction, action: 'settings: server.name' })],
    ['PUT', `${server}/settings/77`, one({ ...sample.startedAction, action: 'settings: server.name' })],

    ['GET', `${stack}/deployments`, list([sample.deployment])],
    ['GET', `${stack}/deployments/1041`, one(sample.deployment)],
    ['POST', `${stack}/deployments`, one(sample.redeployed)],
    ['GET', `${stack}/deployments/1042`, one(sample.runningDeployment)],
    ['DELETE', `${stack}/deployments/1042`, done('Deployment cancelled')],

    ['GET', `${stack}/application_variants`, ok({ response: [sample.variant, sample.preview] })],
    ['PUT', `${stack}/application_variants/va-canary`, done('Variant updated')],
    ['DELETE', `${stack}/application_variants/va-preview`, done('Variant deleted')],

    ['GET', `${stack}/processes`, list([sample.task])],
    ['GET', `${stack}/processes?server_uid=${sample.server}`, list([sample.task])],
    ['GET', `${stack}/processes/worker`, list([sample.task])],
    [
      'POST',
      `${stack}/processes/worker/scale`,
      ok({ response: [{ ...sample.startedAction, action: 'process_scale' }] }),
    ],

    ['GET', tags, list([sample.tagEntry])],
    ['POST', tags, list([sample.tagEntry])],
    ['PATCH', tags, list([sample.tagEntry])],
    ['DELETE', tags, list([{ ...sample.tagEntry, tags: [] }])],

    ['GET', '/clusters', list([sample.shortCluster], 100)],
    ['GET', `/clusters/${sample.cluster}`, one(sample.wholeCluster)],
    ['GET', `/clusters/${sample.cluster}?show_log=true`, one({ ...sample.wholeCluster, log: 'started' })],
    [
      'POST',
      '/clusters',
      { status: 501, body: { response: { message: 'Cluster creation comes later', status: 'not_implemented' } } },
    ],
    ['POST', `/clusters/${sample.cluster}/reboot_servers`, queued('stack_reboot', 'stack')],

    ['GET', `${group}/databases`, list([sample.database])],
    ['POST', `${group}/databases`, queued('database_create', 'database')],
    ['DELETE', `${group}/databases/db5a2`, queued('database_delete', 'database')],

    ['GET', `${group}/database_users`, list([sample.databaseUser])],
    ['GET', `${group}/database_users?show_password=true`, list([{ ...sample.databaseUser, password: 'made-up' }])],
    ['POST', `${group}/database_users`, queued('database_user_create', 'database_user')],
    [
      'POST',
      `${group}/database_users/du7c3/regenerate_password`,
      queued('database_user_password_change', 'database_user'),
    ],
    ['DELETE', `${group}/database_users/du7c3`, queued('database_user_delete', 'database_user')],

    ['GET', '/reference/clouds', one(sample.clouds)],
    ['GET', '/reference/clouds?cloud=hetzner&filter=regions', one(['nbg1'])],
    ['GET', '/reference/webserver_modules', one(sample.modules)],

    // Beside the document.
    ['GET', '/stacks', list([sample.wholeStack])],
    ['GET', stack, one(sample.wholeStack)],
    ['GET', `${stack}/server_groups`, list([sample.serverGroup])],
    ['GET', `${stack}/actions?user_reference=ci`, list([sample.startedAction])],
    ['GET', `${stack}/actions/812`, one(sample.startedAction)],
  ];
}

/** Serves the document until its test ends; anything it does not describe is 404, and all but reference data wants a token. */
export async function startDocumented(options: DocumentedOptions = {}): Promise<DocumentedService> {
  const routes = routesFor(options);
  const { sends = (_: string, text: string) => text } = options;
  const seen: Exchange[] = [];
  const listener = createServer((request, response) => {
    void readRequest(request).then((one) => {
      const { status, body } = answerTo(one, routes, options);
      seen.push({ ...one, answer: body });
      const text = body === undefined ? '' : sends(`${one.method} ${one.target}`, JSON.stringify(body));
      response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
      response.end(text);
    });
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const { port } = listener.address() as AddressInfo;
  onTestFinished(() => {
    listener.close();
    listener.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${port}/api/3`, seen };
}

async function readRequest(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  return {
    method: request.method ?? '',
    target: (request.url ?? '').replace(/^\/api\/3/, ''),
    authorization: request.headers.authorization,
    contentType: request.headers['content-type'],
    body: text === '' ? undefined : JSON.parse(text),
  };
}

function answerTo(one: Received, routes: readonly Route[], { forbidden = [] }: DocumentedOptions): Answer {
  const { method, target, authorization, body } = one;
  if (!(target.startsWith('/reference/') || authorization === 'Bearer secret-token')) return { status: 401, body: {} };
  if (forbidden.includes(`${method} ${target}`)) return { status: 403, body: { error: 'forbidden' } };
  const route = routes.find(([known, path]) => known === method && path === target);
  if (!route) return { status: 404, body: { error: 'not_found' } };
  const [, , answer] = route;
  return typeof answer === 'function' ? answer(body) : answer;
}

function isImport(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'remote_url' in body;
}

/** Update User changes the access profile and ignores everything else. */
function merged(body: unknown): unknown {
  const { access_profile = {} } = (body ?? {}) as { readonly access_profile?: Partial<typeof sample.accessProfile> };
  const { account_profile, stack_profiles } = sample.accessProfile;
  return {
    account_profile: { ...account_profile, ...access_profile.account_profile },
    stack_profiles: access_profile.stack_profiles ?? stack_profiles,
  };
}
