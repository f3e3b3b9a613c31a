import type { RecordType } from '../../contract/record.ts';
import type { Correction, UnknownField } from '../../errors/cli-error.ts';
import { nearest } from '../../errors/nearest.ts';
import { findFieldPath } from '../../output/columns.ts';
import { fieldAt, knownPaths } from '../../output/field-path.ts';
import { knownWords } from '../../output/filter-sort.ts';
import type { Options } from '../arguments/options.ts';
import { readFilter } from '../arguments/view.ts';
import { dictionary } from './dictionary.ts';

/** Names of fields in other tools (right) and here (left). The first field on the left that the record has is used. */
const fieldsFor = dictionary(`
  outcome, status_text, health_state, backup_status, state, finished_success <- status, state, result
  health_state, health <- health, healthy, status
  git_hash, commit, git <- commit, sha, hash, revision, version
  git_ref, git_branch <- branch, ref, tag
  triggered_by, by, user, created_by <- author, user, actor, who, owner, creator
  name, dns_record <- hostname, host
  address, ext_ipv4, fqdn, application_address <- ip, ipv4, public_ip, host, dns, url, domain, hostname
  int_ipv4, private_ip <- internal_ip, private_ip
  server_roles <- role, roles
  percentage <- weight, traffic, share, percent
  variant_type, user_type, db_type, action_type, resource_type, event <- type, kind, engine
  environment <- env, stage
  key, username, friendly_name, database_name, email, name <- name, key, title, database, db
  uid, id, key, number <- id, uid, uuid
  started_at, backup_date_iso, created_at, created_at_iso, time <- date, created, time, age, when, started
  updated_at, updated_at_iso, last_activity <- updated, modified, changed
  size_bytes, backup_size, node_count <- size, bytes, nodes
  is_password <- secret, secrets, password, sensitive, encrypted
  is_live <- live, current, active
  ttl <- expires, open_until
  finished_success <- success, succeeded, ok
  servers <- server, count, replicas
  uses_tfa <- 2fa, mfa, tfa
`);

/** The path of the field for a name of another tool or a misspelled name. */
export function suggestField(typed: string, record: RecordType): string | undefined {
  const name = typed.toLowerCase().replaceAll('-', '_');
  const found = fieldsFor(name)
    .flatMap((ours) => ours.split(', '))
    .find((path) => fieldAt(record.fields, path));
  return findFieldPath(name, record) ?? found ?? nearestBeside(name, knownPaths(record.fields));
}

/** Compares only the last part: the `a.` of `a.b` would make any `a.c` similar. */
function nearestBeside(path: string, known: readonly string[]): string | undefined {
  const above = path.slice(0, path.lastIndexOf('.') + 1);
  const beside = known.filter((one) => one.startsWith(above)).map((one) => one.slice(above.length));
  const name = nearest(path.slice(above.length), beside);
  return name && above + name;
}

/** The condition on the first field with this word among its values: `outcome=failed` for `failed`. */
export function wordCondition(word: string, record: RecordType): string | undefined {
  const paths = [...record.columns, ...knownPaths(record.fields)];
  const path = paths.find((one) => {
    const field = fieldAt(record.fields, one);
    return field && field.kind !== 'flag' && knownWords(field).includes(word);
  });
  return path && `${path}=${word}`;
}

/** Replaces an unknown field in the flag that holds it. */
export function fieldCorrection(
  { typed, record }: UnknownField,
  { fields, columns, sort, where = [] }: Options,
): Correction | undefined {
  const meant = suggestField(typed, record);
  if (meant === undefined) return undefined;
  const replace = (text: string) => {
    const names = text.split(',').map((name) => (name.trim() === typed ? meant : name.trim()));
    return names.join(',');
  };
  const condition = where.find((text) => readFilter(text).path === typed);
  if (condition !== undefined) return replaceIn('--where', condition, meant + condition.slice(typed.length));
  if (sort?.replace(/^-/, '') === typed) return replaceIn('--sort', sort, sort.replace(typed, meant));
  if (columns !== undefined) return replaceIn('--columns', columns, replace(columns));
  return fields === undefined ? undefined : replaceIn('--fields', fields, replace(fields));
}

function replaceIn(at: string, word: string, by: string): Correction {
  return { replace: { word, by: [by], at } };
}
