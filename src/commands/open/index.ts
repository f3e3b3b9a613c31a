import { customCommand } from '../../builders/custom-command.ts';
import { findTarget } from '../../builders/resource/find.ts';
import type { Context, Menu, Presentation } from '../../contract/command.ts';
import { flag, optional, text } from '../../contract/field.ts';
import { stackParam } from '../../contract/params.ts';
import { type RecordOf, record } from '../../contract/record.ts';
import { one } from '../../contract/reply.ts';
import { CliError } from '../../errors/cli-error.ts';
import { deploymentArgument, deployments } from '../../resources/deployment.ts';
import { server, servers } from '../../resources/server.ts';
import { stacks, titleOf } from '../../resources/stack.ts';
import { readDeployment } from '../deployment/get.ts';

const WebPage = record('page', { url: text('Web address.') }, ['url']);

const no_browser = optional(flag('Print the address instead of opening it.'));
const sharedDeclaration = {
  moreEffects: ['runs_program'],
  output: { kind: 'value', reply: one(WebPage) },
  severalStacks: false,
  present: ({ url }: RecordOf<typeof WebPage>): Presentation => ({ kind: 'value', text: url }),
} as const;

export const openCommands: Menu = {
  open: customCommand({
    ...sharedDeclaration,
    about: 'Open the site of a stack in the browser.',
    params: { stack_id: stackParam, no_browser },
    examples: ['stackops open -s shop', 'stackops open -s shop --no-browser'],
    calls: [stacks.get],
    run: async (context, input) => openPage(context, input, await findStackSite(context, input.stack_id)),
  }),
  'open deployment': customCommand({
    ...sharedDeclaration,
    about: 'Open the commit of a deployment in the browser.',
    params: { stack_id: stackParam, deployment_id: deploymentArgument, no_browser },
    positionals: ['deployment_id'],
    examples: ['stackops open deployment latest -s shop', 'stackops open deployment 1041 -s shop --no-browser'],
    calls: [deployments.list, deployments.get],
    run: async (context, input) => openPage(context, input, await findCommitPage(context, input)),
  }),
  'open server': customCommand({
    ...sharedDeclaration,
    about: 'Open the site of a server in the browser.',
    params: { stack_id: stackParam, server_id: server.argumentField, no_browser },
    positionals: ['server_id'],
    examples: ['stackops open server shop-web-1 -s shop'],
    calls: [servers.list, servers.get],
    run: async (context, input) => openPage(context, input, await findServerSite(context, input)),
  }),
};

async function openPage(context: Context, input: { readonly no_browser?: boolean }, url: string) {
  const { embedded, hasBrowser, openBrowser } = context.host;
  // The addresses of the sandbox are made up, so they are only printed.
  const mayOpen = context.audience.terminal && !input.no_browser && !context.dryRun && !embedded();
  if (mayOpen && (await hasBrowser())) {
    const isOpened = await openBrowser(new URL(url));
    context.note(isOpened ? 'opened in the browser' : 'could not open a browser; open the address yourself');
  }
  return { url };
}

async function findStackSite(context: Context, id: string): Promise<string> {
  const stack = await context.call(stacks.get, { id });
  const name = `stack ${titleOf(stack)}`;
  if (stack.fqdn) return siteUrl(stack.fqdn, `the domain name of ${name}`);
  if (stack.application_address) return siteUrl(stack.application_address, `the application address of ${name}`);
  throw new CliError('not_found', `${name} has no domain name`, { hint: { path: 'server list', stack_id: id } });
}

async function findCommitPage(context: Context, target: Parameters<typeof readDeployment>[1]): Promise<string> {
  const { id, commit_url } = await readDeployment(context, target);
  if (commit_url) return checkWebAddress(commit_url, `the commit URL of deployment ${id}`);
  const hint = { path: 'deployment get', operands: [String(id)], stack_id: target.stack_id };
  throw new CliError('not_found', `deployment ${id} has no commit URL`, { hint });
}

type ServerInput = { readonly stack_id: string; readonly server_id: string };

async function findServerSite(context: Context, input: ServerInput): Promise<string> {
  const { stack_id } = input;
  const foundServer = await findTarget(context, server, input);
  const server_id = String(foundServer.id);
  const { name, dns_record, address } = foundServer.row ?? (await context.call(servers.get, { stack_id, server_id }));
  const host = dns_record || address;
  if (host) return siteUrl(host, `the address of server ${name}`);
  const hint = { path: 'server get', operands: [server_id], stack_id };
  throw new CliError('not_found', `server ${name} has no DNS name and no address`, { hint });
}

/** Matches letters, digits and `.-_`, with a letter or digit at both ends. */
const hostNamePattern = /^[\p{L}\p{N}](?:[\p{L}\p{N}._-]*[\p{L}\p{N}])?$/u;

function siteUrl(host: string, subject: string): string {
  // A bare IP address has no certificate, so it is opened with http.
  const address = `${/^\d+(\.\d+){3}$/.test(host) ? 'http' : 'https'}://${host}`;
  if (hostNamePattern.test(host) && URL.canParse(address)) return new URL(address).origin;
  return checkWebAddress(host, subject);
}

function checkWebAddress(text: string, subject: string): string {
  const url = /^https?:\/\/[^\s\p{C}]+$/iu.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  const isOpenable = url && url.username === '' && url.password === '' && url.href.length <= 2048;
  if (isOpenable) return url.href;
  // A user name and a password in the address are not displayed.
  const safeText = text.replace(/(^|\/\/)[^/]*@/, '$1***@');
  const displayed = safeText.length > 80 ? `${safeText.slice(0, 80)}…` : safeText;
  throw new CliError('unavailable', `${subject} is not a web address: "${displayed}"; it was not opened`);
}
