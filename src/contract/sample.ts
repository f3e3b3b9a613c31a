import type { Field, Fields } from './field.ts';
import type { Reply } from './reply.ts';

/** A stand-in reply for a write that --dry-run does not send: the right shape, empty values. */
export function sampleReply<V>(reply: Reply<V>): V {
  return sampleValue(reply) as V;
}

function sampleValue(reply: Reply): unknown {
  switch (reply.envelope) {
    case 'acknowledged':
      return { ok: true, message: '' };
    case 'nothing':
    case 'opaque':
      return undefined;
    case 'raw':
      return { status: 200, headers: {}, body: undefined };
    case 'page':
    case 'rows':
      return [];
    default:
      return sampleFields(reply.record?.fields ?? {});
  }
}

function sampleFields(fields: Fields): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, sampleField(field)]));
}

function sampleField(field: Field): unknown {
  if (field.nullable) return null;
  if (field.kind === 'integer') return 0;
  if (field.kind === 'flag') return false;
  if (field.kind === 'many') return [];
  if (field.kind === 'group') return sampleFields((field.of ?? {}) as Fields);
  if (field.kind === 'map') return {};
  return field.choices?.[0] ?? '';
}
