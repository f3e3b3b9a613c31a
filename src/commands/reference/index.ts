import { call } from '../../builders/call.ts';
import type { Menu } from '../../contract/command.ts';
import type { Row } from '../../contract/record.ts';
import { isObject, type JsonObject } from '../../contract/values/json.ts';
import { CloudFact, reference, WebserverModule } from '../../resources/reference.ts';

/** The reply of both operations: one object of any shape. */
const reply = { envelope: 'bare' } as const;

export const referenceCommands = {
  'reference clouds': call(reference.clouds, {
    examples: ['stackops reference clouds --cloud hetzner', 'stackops reference clouds --filter regions --json'],
    output: { kind: 'rows', reply, table: CloudFact },
    present: (value, { cloud }) => ({ kind: 'table', record: CloudFact, rows: factsIn(value, cloud ? { cloud } : {}) }),
  }),
  'reference webserver-modules': call(reference.webserverModules, {
    examples: ['stackops reference webserver-modules'],
    output: { kind: 'rows', reply, table: WebserverModule },
    present: (value) => {
      const rows = Object.entries(value ?? {}).map(([key, module]) => {
        return { key, ...(isObject(module) ? module : { description: module }) };
      });
      return { kind: 'table', record: WebserverModule, rows };
    },
  }),
} satisfies Menu;

const kindOfKey: Readonly<Record<string, string>> = { sizes: 'size', regions: 'region' };

function factsIn(value: unknown, common: Row = {}): readonly Row[] {
  if (Array.isArray(value))
    return value.map((item) => ({ ...common, ...(isObject(item) ? toRow(item) : { id: item }) }));
  return Object.entries(value ?? {}).flatMap(([key, inner]): readonly Row[] => {
    if (typeof inner !== 'object' || inner === null) return [{ ...common, id: key, description: inner }];
    const isSingleFact = !Array.isArray(inner) && Object.keys(inner).some((name) => detailNamePattern.test(name));
    if (isSingleFact) return [{ ...common, ...toRow(inner), id: key }];
    return factsIn(inner, kindOfKey[key] ? { ...common, kind: kindOfKey[key] } : { ...common, cloud: key });
  });
}

/** Matches the names of properties that a single size or region has. */
const detailNamePattern = /^(v?cpus?|cores|ram|memory|disk|storage|price.*|name|description)$/i;

function toRow({ id, ...rest }: JsonObject): Row {
  const { name = id, description = detailText(rest) } = rest;
  return { id: id ?? name, description };
}

function detailText(value: unknown): string {
  if (Array.isArray(value)) return value.map(detailText).join(' ');
  if (!isObject(value)) return String(value);
  return Object.entries(value)
    .map(([name, inner]) => `${name} ${detailText(inner)}`)
    .join(', ');
}
