import type { Menu, Row } from '../contract/command.ts';
import { oneOf, optional, text } from '../contract/field.ts';
import { operation } from '../contract/operation.ts';
import { record } from '../contract/record.ts';
import { opaqueReply } from '../contract/reply.ts';
import { script } from '../kinds/script.ts';

export const cloudNames = [
  'aws',
  'azure_rm',
  'digitalocean',
  'googlecloud',
  'hetzner',
  'linode',
  'ovh',
  'vultr',
] as const;

const CloudFact = record(
  'cloud fact',
  { cloud: text('Cloud.'), kind: text('Region or size.'), id: text('Id.'), description: text('Description.') },
  ['id', 'description', 'kind', 'cloud'],
);
const WebserverModule = record(
  'web-server module',
  { key: text('Key.'), name: text('Name.'), version: text('Version.'), description: text('Description.') },
  ['key', 'name', 'version', 'description'],
);

export const reference = {
  clouds: operation({
    method: 'GET',
    path: '/reference/clouds',
    scope: 'none',
    about: 'List the regions and sizes of the supported clouds.',
    params: {
      cloud: optional(oneOf(cloudNames, 'Only this cloud.')),
      filter: optional(
        oneOf(['clouds', 'clouds_full', 'regions', 'regions_full', 'sizes', 'sizes_full'], 'Only this kind of data.'),
      ),
    },
    reply: opaqueReply,
    undocumented: 'The shape of filtered replies; JSON passes it on, tables are drawn from whatever comes.',
  }),
  webserverModules: operation({
    method: 'GET',
    path: '/reference/webserver_modules',
    scope: 'none',
    about: 'List the web-server modules.',
    params: {},
    reply: opaqueReply,
  }),
};

/** One object, whatever is in it. */
const facts = { envelope: 'bare' } as const;

export const referenceMenu = {
  'reference clouds': script({
    about: reference.clouds.about,
    params: reference.clouds.params,
    examples: ['stackops reference clouds --cloud hetzner', 'stackops reference clouds --filter regions --json'],
    calls: [reference.clouds],
    reply: facts,
    table: CloudFact,
    run: (context, input) => context.call(reference.clouds, input),
    present: (value, { cloud }) => ({
      kind: 'table',
      record: CloudFact,
      rows: cloudFacts(value, cloud ? { cloud } : {}),
    }),
  }),
  'reference webserver-modules': script({
    about: reference.webserverModules.about,
    params: {},
    examples: ['stackops reference webserver-modules'],
    calls: [reference.webserverModules],
    reply: facts,
    table: WebserverModule,
    run: (context) => context.call(reference.webserverModules, {}),
    present: (value) => ({ kind: 'table', record: WebserverModule, rows: keyed(value) }),
  }),
} satisfies Menu;

const kindOf: Readonly<Record<string, string>> = { sizes: 'size', regions: 'region' };

/** Walks any of the known shapes: names, name to text, and both of them below clouds and below sizes or regions. */
function cloudFacts(value: unknown, known: Row = {}): readonly Row[] {
  if (Array.isArray(value)) return value.map((id) => ({ ...known, id }));
  return Object.entries(value ?? {}).flatMap(([key, inner]): readonly Row[] => {
    if (typeof inner === 'string') return [{ ...known, id: key, description: inner }];
    return cloudFacts(inner, kindOf[key] ? { ...known, kind: kindOf[key] } : { ...known, cloud: key });
  });
}

function keyed(value: unknown): readonly Row[] {
  return Object.entries(value ?? {}).map(([key, module]) => ({ key, ...(module as Row) }));
}
