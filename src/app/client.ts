import { type FoundToken, withRenewalHint } from '../auth/token-source.ts';
import type { Options } from '../cli/arguments/options.ts';
import type { Host } from '../cli/host.ts';
import type { Transport } from '../contract/exchange.ts';
import type { TargetKind } from '../contract/field.ts';
import type { Calls, Operation } from '../contract/operation.ts';
import { once } from '../contract/values/once.ts';
import { durationMs } from '../contract/values/time.ts';
import { CliError } from '../errors/cli-error.ts';
import { type ApiOptions, createApi } from '../http/api.ts';
import type { RequestQueue } from '../http/rate-limit.ts';
import type { Settings } from '../settings/settings.ts';
import { type StackCache, verifiedCalls } from '../targets/stack.ts';
import { Targets } from '../targets/targets.ts';

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
  const createApiCalls = (overrides: Partial<ApiDependencies> = {}) =>
    apiFor({ ...dependencies, titleOfStack, warn, ...overrides });
  const createCalls = (budgetMs?: number): Calls =>
    limitCallsToStacks(
      dependencies.allowedStacks,
      callsWithRenewalHint(() => createApiCalls({ budgetMs }), dependencies.token),
    );
  const { call, eachPage } = createCalls();
  const findSetting = (target: TargetKind) => settings.get(settingOfTarget[target]).value;
  const defaultStack = () => {
    const { value: uid, origin } = settings.get('stack');
    const { value: name } = settings.get('stack_name');
    return uid && name && origin.kind === 'profile' ? { uid, name } : undefined;
  };
  const targets = new Targets({ call, setting: findSetting, defaultStack, cache });
  return {
    call,
    read: createCalls(statusCheckTimeoutMs).call,
    targets,
    verified: verifiedCalls({ call, eachPage }, targets.waitForVerification),
    withToken: (token: string) => createApiCalls({ token: async () => ({ token, origin: { kind: 'sign-in' } }) }),
  };
}

export function requestOptions({ redactor }: Host, settings: Settings): Pick<ApiOptions, 'redactor' | 'account'> {
  return { redactor, account: () => settings.get('account').value };
}

interface ApiDependencies {
  readonly options: Options;
  readonly host: Host;
  readonly settings: Settings;
  readonly transport: () => Promise<Transport>;
  readonly token: (refusedToken?: string) => Promise<FoundToken>;
  readonly warn: (line: string) => void;
  readonly titleOfStack: ApiOptions['titleOfStack'];
  readonly queue: RequestQueue;
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
  const getLimitedCalls = once(async () =>
    (await import('../targets/within-stacks.ts')).limitToStacks(allowedStacks, calls),
  );
  return wrapCalls(async (_, work) => work(await getLimitedCalls()));
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
