import { type FoundToken, withRenewalHint } from '../auth/token-source.ts';
import type { Session } from '../cli/app.ts';
import type { Options } from '../cli/arguments/options.ts';
import type { Host } from '../cli/host.ts';
import type { NameCache } from '../completion/name-cache.ts';
import type { TargetKind } from '../contract/field.ts';
import type { CommandHost } from '../contract/host.ts';
import type { Calls, Operation } from '../contract/operation.ts';
import { once } from '../contract/values/once.ts';
import { durationMs } from '../contract/values/time.ts';
import { CliError } from '../errors/cli-error.ts';
import { type ApiOptions, createApi } from '../http/api.ts';
import type { Settings } from '../settings/settings.ts';
import { type StackCache, verifiedCalls } from '../targets/stack.ts';
import { TargetResolver } from '../targets/targets.ts';

/** Timeout in milliseconds of a read that checks a running operation. It is short, because such a check is repeated. */
const statusCheckTimeoutMs = 30_000;
export const settingOfTarget = { stack: 'stack', 'server-group': 'server_group', account: 'account' } as const;

/** Returns the calls of one run, and the functions that resolve its stack, server group and account. */
export function createClient(dependencies: Omit<ApiDependencies, 'titleOfStack' | 'budgetMs'>, cache: StackCache) {
  const { settings } = dependencies;
  const titleOfStack = (uid: string) => targets.stackTitle(uid);
  // A warning waits until the stack is verified. If the verification fails, the warning may be wrong and is dropped.
  const warn = (line: string) =>
    void targets.waitForVerification().then(
      () => dependencies.warn(line),
      () => undefined,
    );
  const apiWith = (more: Partial<ApiDependencies>) => apiFor({ ...dependencies, titleOfStack, warn, ...more });
  const createCalls = (budgetMs?: number): Calls => {
    const calls = callsWithRenewalHint(() => apiWith({ budgetMs }), dependencies.token);
    return limitCallsToStacks(dependencies.allowedStacks, calls);
  };
  const { call, eachPage } = createCalls();
  const findSetting = (target: TargetKind) => settings.get(settingOfTarget[target]).value;
  const defaultStack = () => {
    const { value: uid, origin } = settings.get('stack');
    const { value: name } = settings.get('stack_name');
    return uid && name && origin.kind === 'profile' ? { uid, name } : undefined;
  };
  const targets = new TargetResolver({ call, setting: findSetting, defaultStack, cache });
  return {
    call,
    read: createCalls(statusCheckTimeoutMs).call,
    targets,
    verified: verifiedCalls({ call, eachPage }, targets.waitForVerification),
    withToken: (token: string) => apiWith({ token: async () => ({ token, origin: { kind: 'sign-in' } }) }),
  };
}

export function requestOptions({ redactor }: Host, settings: Settings): Pick<ApiOptions, 'redactor' | 'account'> {
  return { redactor, account: () => settings.get('account').value };
}

interface ApiDependencies extends Pick<ApiOptions, 'transport' | 'warn' | 'titleOfStack' | 'queue'> {
  readonly options: Options;
  readonly host: Host;
  readonly settings: Settings;
  readonly token: (refusedToken?: string) => Promise<FoundToken>;
  /** The only stacks that may be reached. An empty list allows all. */
  readonly allowedStacks: readonly string[];
  /** Timeout of one call in milliseconds. Without it, or if it is longer, the timeout of the settings is used. */
  readonly budgetMs?: number | undefined;
}

function apiFor({ options, host, settings, token, budgetMs, ...others }: ApiDependencies): Calls {
  let foundToken: FoundToken | undefined;
  const limitMs = durationMs(settings.get('timeout').value ?? '') ?? 120_000;
  return createApi({
    ...others,
    token: async (refusedToken) => {
      foundToken = await token(refusedToken);
      return foundToken.token;
    },
    loginScopes: () => foundToken?.scopes,
    budgetMs: Math.min(budgetMs ?? limitMs, limitMs),
    maxRetries: Number(settings.get('retries').value),
    signal: host.signal,
    trace: (line) => {
      if (options.verbose) void host.err.lines([line]);
    },
    ...requestOptions(host, settings),
    clock: { now: host.now, elapsed: host.elapsed, sleep: host.sleep, random: Math.random },
  });
}

function limitCallsToStacks(allowedStacks: readonly string[], calls: Calls): Calls {
  if (allowedStacks.length === 0) return calls;
  const getCalls = once(async () => (await import('../targets/within-stacks.ts')).limitToStacks(allowedStacks, calls));
  return wrapCalls(async (_, work) => work(await getCalls()));
}

function callsWithRenewalHint(createApiCalls: () => Calls, findToken: () => Promise<FoundToken>): Calls {
  const getApi = once(createApiCalls);
  return wrapCalls(async ({ scope }, work) => {
    try {
      return await work(getApi());
    } catch (error) {
      const isRefused = error instanceof CliError && [401, 403].includes(error.details.status ?? 0);
      throw isRefused && scope !== 'none' ? withRenewalHint(error, (await findToken()).origin) : error;
    }
  });
}

type CallWrapper = <Value>(operation: Operation, work: (calls: Calls) => Promise<Value>) => Promise<Value>;

function wrapCalls(wrapCall: CallWrapper): Calls {
  return {
    call: (operation, input, more) => wrapCall(operation, (calls) => calls.call(operation, input, more)),
    eachPage: (operation, input, take, more) =>
      wrapCall(operation, (calls) => calls.eachPage(operation, input, take, more)),
  };
}

interface CacheSession extends Pick<Session, 'settings' | 'baseUrl'>, Pick<CommandHost, 'folders' | 'embedded'> {
  readonly tokenFingerprint: () => Promise<string>;
}

/** Opens the name cache of a profile, address and token; undefined in the sandbox, without token or cache folder. */
export async function nameCacheOf(session: CacheSession, now: () => Date): Promise<NameCache | undefined> {
  // Names of the sandbox are not cached: they need no request, and change over time.
  if (session.embedded()) return undefined;
  const { profile } = session.settings;
  try {
    // Another token may see other names, so each token has its own cache.
    const serviceKey = `${session.baseUrl()} ${await session.tokenFingerprint()}`;
    const { openNameCache } = await import('../completion/name-cache.ts');
    return openNameCache(session.folders().cache, profile, serviceKey, now);
  } catch {
    return undefined;
  }
}

/** Maximum age of a cached UID: 30 days. It is long, because a cached UID is verified whenever it is used. */
const maxUidAgeMs = 30 * 86_400_000;

/** Returns the cache of UIDs and titles of stacks, by account and name. It uses the file of the name cache. */
export function createStackCache(getSession: () => CacheSession, now: () => Date): StackCache {
  const openCache = () => nameCacheOf(getSession(), now);
  const keyOf = (name: string) => `found\n${getSession().settings.get('account').value ?? ''}\n${name}`;
  return {
    async find(name) {
      const [stored] = (await openCache())?.find(keyOf(name), maxUidAgeMs) ?? [];
      return stored && { uid: stored.value, by: 'list', ...(stored.about !== '' && { title: stored.about }) };
    },
    async store(name, stack) {
      const names = stack ? [{ value: stack.uid, about: stack.title ?? '' }] : [];
      (await openCache())?.store(keyOf(name), names, maxUidAgeMs);
    },
  };
}
