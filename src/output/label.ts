import type { Field, Fields } from '../contract/field.ts';
import { fieldAt } from './field-path.ts';

/** Parts of wire names with another spelling in messages. */
const spellings: Readonly<Record<string, string>> = {
  db: 'database',
  dns: 'DNS',
  ext: 'external',
  fqdn: 'FQDN',
  id: 'ID',
  int: 'internal',
  ip: 'IP',
  ipv4: 'IPv4',
  ipv6: 'IPv6',
  md5: 'MD5',
  otp: 'OTP',
  params: 'parameters',
  ttl: 'TTL',
  uid: 'UID',
  url: 'URL',
};

/** The label of a field, else its name in words: `db_type` is `Database type`. */
export function labelOf(name: string, { label }: Pick<Field, 'label'>): string {
  const words = label ?? inWords(name);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The heading of a column: `DATABASE TYPE`; within a group the name of the group comes first: `OUTCOME CODE`. */
export function headingOf(fields: Fields, path: string): string {
  const steps = path.split('.');
  const parts = steps.map((name, index) => {
    const field = fieldAt(fields, steps.slice(0, index + 1).join('.'));
    return field?.heading ?? field?.label ?? inWords(name);
  });
  return parts.join(' ').toUpperCase();
}

function inWords(name: string): string {
  // These parts only name the format: a boolean, a size, a time.
  const bare = name.replace(/^(?:is|has)_/, '').replace(/_bytes$|(?:_at)?_iso$|_at$/, '');
  return bare
    .split('_')
    .map((part) => (Object.hasOwn(spellings, part) ? spellings[part] : part))
    .join(' ');
}
