import { describe, expect, test } from 'vitest';
import { fuzzed, fuzzing } from '../support/property.ts';
import { run } from '../support/stackops.ts';
import * as sample from './samples.ts';
import { startDocumented } from './service.ts';

/**
 * Every field of every reply that a command reads, replaced by each kind of value that it should not have: the command ends
 * with 0, with a word about the service, or with 7 and the name of the field. It never fails of itself, and never shows
 * what is no value. `npm run fuzz` tries all of them. `npm test` gives each field of each reply one of them, and of those that
 * a command before it has met every fourth.
 */
const inStack = `-s ${sample.stack}`;
const inGroup = `${inStack} -g 21`;
const server = `server/${sample.server}`;
const lines: readonly string[] = [
  'user get 7',
  'user list --json',
  'user update ada@harbour.example --set can_create_stack=true -y',
  'account list',
  'account get 42 --include-servers --json',
  'gateway list',
  'gateway update bastion-1 -a 42 --address 203.0.113.9 -n',
  'gateway delete bastion-1 -a 42 --confirm bastion-1',
  `backup list ${inStack}`,
  `backup get 501 ${inStack}`,
  `backup files 501 ${inStack} --json`,
  `backup check ${inStack}`,
  `stack list --reveal --json`,
  `stack get ${inStack}`,
  `stack env list ${inStack}`,
  `stack env get LOG_LEVEL ${inStack} --reveal`,
  `stack env history LOG_LEVEL ${inStack} --reveal`,
  `stack env export ${inStack}`,
  `stack env set LOG_LEVEL=debug ${inStack}`,
  `stack env unset LOG_LEVEL -y ${inStack}`,
  `stack env rollback LOG_LEVEL -y ${inStack}`,
  `stack settings list ${inStack} --json`,
  `stack settings set git.branch=release ${inStack}`,
  `server list ${inStack}`,
  `server get shop-web-1 ${inStack}`,
  `server list ${inStack} --json`,
  `server reboot shop-web-1 -y ${inStack}`,
  `server ssh-config ${inStack} -a 42`,
  `server settings list shop-web-1 ${inStack}`,
  `deployment list ${inStack}`,
  `deployment list ${inStack} --json`,
  `deployment get latest ${inStack}`,
  `deployment rollback -y ${inStack} -n`,
  `redeploy -y ${inStack}`,
  `restart -y ${inStack}`,
  `variant list ${inStack}`,
  `variant list ${inStack} --json`,
  `variant commit va-canary -y ${inStack}`,
  `variant weight va-canary 25 ${inStack}`,
  `variant delete va-preview -y ${inStack}`,
  `process list ${inStack}`,
  `process get worker ${inStack} --json`,
  `process scale worker=+1 ${inStack}`,
  `tags list ${server}`,
  `tags patch ${server} --add eu --delete old`,
  'cluster list',
  `cluster get prod-eu --show-log`,
  `cluster reboot prod-eu --confirm prod-eu`,
  `db list ${inGroup} --json`,
  `db list ${inStack} -g shop`,
  `db delete shop_prod --confirm shop_prod ${inGroup}`,
  `db user list ${inGroup}`,
  `db user regenerate-password analytics --confirm analytics ${inGroup}`,
  'reference clouds',
  'reference webserver-modules',
  `status ${inStack}`,
  `status ${inStack} --json`,
  `activity ${inStack} --since 2026-05-01`,
  `open ${inStack} --print`,
  `action list ${inStack} --user-reference ci`,
  'auth status',
];

const absent = Symbol('absent');
/** Beyond what a number of JavaScript holds. */
const huge = 'huge';
const oddValues: readonly unknown[] = [
  null,
  absent,
  'many',
  '',
  '2',
  'false',
  'null',
  7,
  1.5,
  true,
  [],
  [1],
  {},
  { a: 'b' },
  huge,
];

type Path = readonly (string | number)[];

/** The paths of all fields of a reply, outermost first: of a list those of its first row. */
function pathsIn(value: unknown, above: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.length === 0 ? [] : pathsIn(value[0], [...above, 0]);
  return Object.entries(value).flatMap(([name, inner]) =>
    name === 'added' ? [] : [[...above, name], ...pathsIn(inner, [...above, name])],
  );
}

function replaced(text: string, path: Path, odd: unknown): string {
  const body = JSON.parse(text);
  const last = path.at(-1) ?? '';
  const holder = path.slice(0, -1).reduce((at, step) => at?.[step], body);
  if (odd === absent) delete holder[last];
  else holder[last] = odd;
  return JSON.stringify(body).replaceAll(`"${huge}"`, '9007199254740993');
}

/** Below the wrapper. */
function fieldsOf(text: string): readonly Path[] {
  const body: unknown = JSON.parse(text);
  if (typeof body !== 'object' || body === null) return [];
  return 'response' in body ? pathsIn(body.response, ['response']) : pathsIn(body);
}

const words = (line: string) => line.split(' ');
const env = (url: string) => ({ STACKOPS_BASE_URL: url, STACKOPS_TOKEN: 'secret-token', NO_COLOR: '1' });
/** What failed once, by the beginning of the line: it is always tried. */
const mended: readonly (readonly [line: string, path: string, value: unknown])[] = [
  ['user update', 'response.0.id', absent],
  ['user update', 'response.access_profile.account_profile.can_create_stack', {}],
  ['backup check', 'response.0.db_type', absent],
  ['backup check', 'response.0.database_name', absent],
  ['stack settings set', 'response.id', 1.5],
  ['process scale', 'response.id', 1.5],
  ['redeploy', 'response.id', 1.5],
  ['deployment get latest', 'response.id', absent],
  ['deployment rollback', 'response.0.id', absent],
  ['status', 'response.0.db_type', absent],
  ['status', 'response.0.database_name', absent],
  ['status', 'response.0.id', absent],
  ['activity', 'response.0.db_type', absent],
  ['cluster get', 'response.nodes.0.name', absent],
  ['cluster reboot', 'response.0.node_count', absent],
  ['cluster reboot', 'response.0.health', absent],
  ['db list', 'response.0.id', absent],
  ['user update', 'response.access_profile.account_profile.can_create_stack', huge],
  ['restart', 'response.0.is_live', absent],
];

/** How often each field was met. */
const met = new Map<string, number>();

/** One field of one answer, and what comes in its place. */
interface Odd {
  readonly request: string;
  readonly path: Path;
  readonly value: unknown;
}

function oddOf(line: string, texts: ReadonlyMap<string, string>): readonly Odd[] {
  const fields = [...texts].flatMap(([request, text]) => fieldsOf(text).map((path) => ({ request, path })));
  const often = fields.flatMap((field, turn) => {
    if (fuzzing) return oddValues.map((value) => ({ ...field, value }));
    const name = `${field.request} ${field.path.join('.')}`;
    const before = met.get(name) ?? 0;
    met.set(name, before + 1);
    // Another value for each field, and for the same field in another command.
    return before > 0 && (before + turn) % 4 > 0
      ? []
      : [{ ...field, value: oddValues[(turn + before) % oddValues.length] }];
  });
  const again = mended.flatMap(([start, path, value]) =>
    line.startsWith(start)
      ? fields.filter((field) => field.path.join('.') === path).map((field) => ({ ...field, value }))
      : [],
  );
  return fuzzing ? often : [...often, ...again];
}

// A field that an earlier line met is tried less often, so the order of the lines decides the cases.
describe('an odd value', { shuffle: false }, () => {
  test.each(lines)('%s', { ...fuzzed, timeout: 600_000 }, async (line) => {
    const texts = new Map<string, string>();
    let odd: Odd | undefined;
    const service = await startDocumented({
      sends: (request, text) => {
        if (odd === undefined) texts.set(request, text);
        return odd?.request === request ? replaced(text, odd.path, odd.value) : text;
      },
    });
    const play = () => run(words(line), { env: env(service.url), stdin: '' });
    await play();
    for (const one of oddOf(line, texts)) {
      odd = one;
      const { code, stdout, stderr } = await play();
      const value = one.value === absent ? 'absent' : JSON.stringify(one.value);
      const what = `${line}: ${one.request} ${one.path.join('.')} = ${value}`;
      expect.soft(stdout + stderr, what).not.toMatch(/this is a bug|NaN|undefined|\[object Object\]|Invalid Date/);
      const name = one.path.findLast((step) => typeof step === 'string');
      // Another deployment than was asked for is told by its number.
      if (code === 7 && !stderr.includes('the service answered with')) expect.soft(stderr, what).toContain(name);
      const sent = replaced(texts.get(one.request) ?? '', one.path, one.value);
      if (code === 0 && / list( .*)? --json$/.test(line)) expect.soft(sent, what).toContain(stdout.trim());
    }
  });
});
