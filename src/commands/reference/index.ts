import type { Menu } from '../../contract/command.ts';
import type { Row } from '../../contract/record.ts';
import { call } from '../../kinds/call.ts';
import { CloudFact, reference, WebserverModule } from '../../resources/reference.ts';

/** One object of any shape. */
const reply = { envelope: 'bare' } as const;

export const referenceCommands = {
  'reference clouds': call(reference.clouds, {
    examples: ['stackops reference clouds --cloud hetzner', 'stackops reference clouds --filter regions --json'],
    output: { kind: 'rows', reply, table: CloudFact },
    present: (value, { cloud }) => ({
      kind: 'table',
      record: CloudFact,
      rows: cloudFacts(value, cloud ? { cloud } : {}),
    }),
  }),
  'reference webserver-modules': call(reference.webserverModules, {
    examples: ['stackops reference webserver-modules'],
    output: { kind: 'rows', reply, table: WebserverModule },
    present: (value) => ({ kind: 'table', record: WebserverModule, rows: keyed(value) }),
  }),
} satisfies Menu;

const kindOf: Readonly<Record<string, string>> = { sizes: 'size', regions: 'region' };

/** Reads every known shape: a list of names or names to texts, also grouped by cloud and by sizes or regions. */
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
