import type { Context } from '../contract/command.ts';
import { flag, instant, integer, nullable, optional, secret, text } from '../contract/field.ts';
import { operation } from '../contract/operation.ts';
import { stackParam, uidPattern } from '../contract/params.ts';
import { type RecordOf, record } from '../contract/record.ts';
import { one, page } from '../contract/reply.ts';
import { resource } from '../contract/resource.ts';

/** Names of the status codes of a stack or cluster, from 0, as in the vendor's public client. */
export const stackStatuses = [
  'pending analysis',
  'deployed',
  'deployment failed',
  'analysing',
  'analysed',
  'queued',
  'deploying',
  'unable to analyse',
];
export const healthStates = ['unknown', 'building', 'impaired', 'healthy', 'failed'];

/** Returns the name of a health code, such as `healthy`; `unknown` for null. */
export function healthText(code: number | null): string {
  return healthStates[code ?? 0] ?? `health ${code}`;
}

export const Stack = record(
  'stack',
  {
    uid: text('UID of the stack.'),
    name: text('Name.'),
    environment: text('Environment, such as production.'),
    status: integer('Status of the stack.', { meanings: stackStatuses }),
    health: integer('Health of its servers.', { meanings: healthStates }),
    account_id: integer('ID of the account.'),
    account_name: text('Name of the account.'),
    git: text('Repository.', { label: 'repository' }),
    git_branch: text('Branch.', { label: 'branch' }),
    cloud: text('Cloud provider.'),
    fqdn: text('Domain name of the stack.'),
    application_address: optional(nullable(text('Address of the application.', { label: 'application address' }))),
    language: text('Language.'),
    framework: text('Framework.'),
    backend: text('Backend.'),
    is_busy: flag('Whether an operation is in progress.'),
    is_cluster: flag('Whether it is a cluster.'),
    maintenance_mode: flag('Whether maintenance mode is on.'),
    redeploy_hook: secret(nullable(text('URL that triggers a redeployment.'))),
    last_activity: nullable(instant('Last activity.', { aliases: ['last_activity_iso'] })),
    created_at: instant('Creation time.', { aliases: ['created_at_iso'] }),
    updated_at: instant('Time of the last change.', { aliases: ['updated_at_iso'] }),
  },
  ['name', 'environment', 'status', 'health', 'last_activity', 'uid'],
);

export type StackRow = RecordOf<typeof Stack>;

export const ServerGroup = record(
  'server group',
  {
    id: integer('ID of the server group.'),
    name: text('Name.'),
    type: text('Type of server group.'),
    created_at: instant('Creation time.'),
    updated_at: instant('Time of the last change.'),
  },
  ['name', 'type', 'id'],
);

export const stacks = {
  list: operation('GET /stacks', { reply: page(Stack), outside: true }),
  get: operation('GET /stacks/:id', { params: { id: stackParam }, reply: one(Stack), outside: true }),
};

export const serverGroups = {
  list: operation('GET /stacks/:stack_id/server_groups', {
    reply: page(ServerGroup),
    outside: true,
    withheld: 'Only read to find a server group by its name, or the only one.',
  }),
};

export const stack = resource({
  list: stacks.list,
  idPattern: uidPattern,
  findByAlias: (argument, rows) => rows.filter((row) => titleOf(row) === argument),
  distinctText: titleOf,
});

/** True for a stack that deploys container images. Any other stack deploys commits. */
export function isContainerStack({ framework }: Pick<StackRow, 'framework'>): boolean {
  return /docker|container|kubernetes/i.test(framework ?? '');
}

/** Returns the name of a stack with its environment, if it has one: `shop/production`. */
export function titleOf({ name, environment }: Pick<StackRow, 'name' | 'environment'>): string {
  return environment ? `${name}/${environment}` : name;
}

/** Returns `shop/production` for questions, or the UID if the stack cannot be read. */
export async function readStackTitle(context: Pick<Context, 'call'>, uid: string): Promise<string> {
  try {
    return titleOf(await context.call(stacks.get, { id: uid }));
  } catch {
    return uid;
  }
}
