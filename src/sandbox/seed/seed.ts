import { accountRights } from '../../resources/user.ts';
import { type ScenarioName, type StackState, type State, stateFormat, type UserState } from '../state.ts';
import { beginIncident } from './incident.ts';
import { fileStamp, isoStamp, offsetStamp, plainStamp } from './made-up.ts';
import {
  type BackupSeed,
  type DeploymentSeed,
  type ServerSeed,
  type SettingSeed,
  seedBackups,
  seedDeployments,
  seedServer,
  seedSettings,
  seedVariables,
  type VariableSeed,
} from './rows.ts';
import seedData from './seed.json';

/** The moment that counts as the current time in the dates of seed.json. */
export const seedMoment = new Date('2026-05-04T12:00:00Z');

/** The content of seed.json. Its rows have the fields of the state. Most omit the usual values, which rows.ts adds. */
interface SeedData extends Pick<State, 'accounts' | 'clusters' | 'next'> {
  /**
   * The stack `shop` has more variables than fit on one page. Its list of groups has only the group 21, so database
   * commands need no `-g`. The newest backup of each of its databases is good, but `shop_events` has none of the last
   * two nights. Two stacks have the name `blog`, so that `blog` alone is ambiguous. Only blog/staging runs containers,
   * and only the second of its groups has databases. All backups of blog/production are good, so that one stack has no
   * problems. service.md does not give the wire value of blue-green variants; `blue_green` is the usual spelling.
   */
  readonly stacks: readonly StackSeed[];
  /** The sandbox's tokens belong to ada. */
  readonly users: readonly UserSeed[];
}

interface StackSeed
  extends Omit<StackState, 'variables' | 'deployments' | 'settings' | 'servers' | 'backups' | 'freeMs'> {
  readonly firstVariableId: number;
  readonly variables: readonly VariableSeed[];
  readonly deployments: readonly DeploymentSeed[];
  readonly firstSettingId: number;
  readonly settings: readonly SettingSeed[];
  readonly servers: readonly ServerSeed[];
  readonly backups: readonly BackupSeed[];
}

interface UserSeed extends Omit<UserState, 'rights'> {
  /** Granted rights. An administrator has all rights. */
  readonly rights: readonly string[];
  readonly default_roles: readonly string[];
}

/** `T` as TypeScript reads it from JSON, where each text has the type `string`, even `access` and `phase`. */
type AsJson<T> = T extends string ? string : { [K in keyof T]: AsJson<T[K]> };

/** The names in `Json`, at any depth, that `T` lacks. A value of the type `unknown` may have any names. */
type UnknownNames<Json, T> = unknown extends T
  ? never
  : Json extends readonly (infer Row)[]
    ? UnknownNames<Row, Extract<T, readonly unknown[]>[number]>
    : Json extends object
      ? { [K in keyof Json]-?: K extends keyof T ? UnknownNames<Json[K], Exclude<T[K], Nothing>> : K }[keyof Json]
      : never;
type Nothing = null | undefined;

/** With an unknown name in seed.json, the compiler reports that name as missing. `AsJson` alone would accept it. */
type CheckedSeed = AsJson<SeedData> & Record<UnknownNames<typeof seedData, SeedData>, never>;

/** Returns the first state, that of a small bookseller. Its dates are moved by the time from `seedMoment` to `now`. */
export function seedState(now: Date, scenario?: ScenarioName): State {
  const { accounts, stacks, clusters, users, next } = seedData satisfies CheckedSeed as SeedData;
  const state: State = withTimesMoved(now.getTime() - seedMoment.getTime(), {
    format: stateFormat,
    accounts,
    stacks: stacks.map(seedStack),
    clusters,
    users: users.map(seedUser),
    oauth: { requests: [], codes: [], tokens: [] },
    writes: [],
    next,
  });
  if (scenario === 'incident') beginIncident(state, now);
  return state;
}

function seedStack({ firstVariableId, firstSettingId, ...seed }: StackSeed): StackState {
  const { uid, name } = seed.row;
  return {
    ...seed,
    variables: seedVariables(firstVariableId, seed.variables),
    deployments: seedDeployments(name, seed.deployments),
    servers: seed.servers.map((server) => seedServer(uid, server)),
    settings: seedSettings(firstSettingId, seed.settings),
    backups: seedBackups(uid, seed.backups),
    freeMs: 0,
  };
}

function seedUser({ row, rights: grantedRights, default_roles, roles, devices }: UserSeed): UserState {
  const isGranted = (right: string) => default_roles.includes('Administrator') || grantedRights.includes(right);
  // The service sends every right, granted or not.
  const rights = Object.fromEntries(accountRights.map((right) => [right, isGranted(right)]));
  return { row, rights: { ...rights, default_roles }, roles, devices };
}

/** Matches times in the three formats of the service, and times in the names of files. */
const momentPattern = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(Z|\+0000| UTC)|(?<=_)\d{8}_\d{6}(?=")/g;

/** Returns a copy of `value`, so that no two states share an object, with its times moved. */
function withTimesMoved<T>(ms: number, value: T): T {
  return JSON.parse(JSON.stringify(value).replaceAll(momentPattern, (moment) => moveTimeText(moment, ms)));
}

function moveTimeText(text: string, ms: number): string {
  if (text.endsWith('Z')) return isoStamp(Date.parse(text) + ms);
  if (text.endsWith('+0000')) return offsetStamp(Date.parse(text) + ms);
  if (text.endsWith('UTC')) return plainStamp(Date.parse(text) + ms);
  const isoText = text.replace(/(....)(..)(..)_(..)(..)(..)/, '$1-$2-$3T$4:$5:$6Z');
  return fileStamp(Date.parse(isoText) + ms);
}
