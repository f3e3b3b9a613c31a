import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { composeAndRun } from '../../src/app/compose.ts';
import type { RawHost } from '../../src/cli/host.ts';
import type { StopRequest } from '../../src/commands/variant/ramp/machine/state.ts';
import type { HttpResponse } from '../../src/contract/exchange.ts';
import { type AnswerOptions, answerRequest } from '../../src/sandbox/answer.ts';
import { seedMoment } from '../../src/sandbox/seed/seed.ts';
import { basePath, type ReceivedRequest, readRequest } from '../../src/sandbox/server/call.ts';
import { faultResponse } from '../../src/sandbox/server/faults.ts';
import { closeServer, listen } from '../../src/sandbox/server/server.ts';
import type { VariantRecord } from '../../src/sandbox/state.ts';
import { wellKnownTokens } from '../../src/sandbox/tokens.ts';
import { startHealth } from './health.ts';
import { Clock } from './ramp.ts';
import { freshState, ownBehaviour } from './sandbox.ts';
import { type Ran, temporaryFolder, withoutSignals } from './stackops.ts';

/** A response that the service would not send. */
export interface OddResponse extends HttpResponse {
  /** The connection ends within it. */
  readonly isCut?: boolean;
  /** The share that another user sets meanwhile. */
  readonly sets?: number;
}

/** What befalls one request: it is lost on its way, never answered, carried out and its answer lost, or refused. */
export type Fate = 'lost' | 'hang' | 'reset' | 'throttled' | number | OddResponse;

/** One request of a ramp: `PUT 25`, `PUT commit`, `GET application_variants`. */
export interface Asked {
  readonly what: string;
  /** By the clock of the ramp. */
  readonly atMs: number;
}

/** What is left where a program is killed. */
export interface Point {
  readonly at: string;
  readonly nowMs: number;
  readonly variants: readonly VariantRecord[];
  readonly files: ReadonlyMap<string, string>;
}

/** The machine on which the ramp runs. */
export interface Machine {
  /** The folder of its state. */
  readonly folder: string;
  /** As `--pause` and `--abort` of another process. */
  readonly request: (how: StopRequest['how']) => void;
}

interface Play {
  /** By the number of the request, from 0, and by its name. */
  readonly fate?: (at: number, what: string, atMs: number) => Fate | undefined;
  /** Called before and after each request is carried out, and whenever the program only waits. */
  readonly reached?: (point: Point, machine: Machine) => void;
  readonly happens?: (clock: Clock, machine: Machine) => void;
  /** The share above which the application fails. */
  readonly failAbove?: number;
  readonly from?: Point;
  readonly env?: Readonly<Record<string, string>>;
}

const stack = '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';

export interface Played extends Ran {
  readonly asked: readonly Asked[];
  readonly variants: readonly VariantRecord[];
  /** Of the canary; undefined where there is none any more. */
  readonly share: number | undefined;
  /** The state of ramps, and what lies beside it. */
  readonly files: ReadonlyMap<string, string>;
}

/** What plays a command line: the word HEALTH becomes the address of the application. */
export type PlayProgram = (words: string, play?: Play) => Promise<Played>;

/**
 * The real program in this process, its requests on real sockets, its files in a real folder; time goes by only while
 * nobody waits for the network. All that is played here meets the same addresses.
 */
export async function rampPlayer(): Promise<PlayProgram> {
  const app = await openApp();
  if (!isWarm) await warmUp(app);
  isWarm = true;
  return (words, play = {}) => playIn(app, words, { play, turn });
}

type App = Awaited<ReturnType<typeof openApp>>;

/** What of it changes with each play. */
interface Scene {
  clock: Clock;
  failAbove: number;
  pass: (what: string, carryOut: () => Answered) => Promise<Answered>;
}

async function openApp() {
  const state = freshState();
  const shop = state.stacks.find(({ row }) => row.uid === stack);
  if (!shop) throw new Error('there is no such stack');
  const seeded = structuredClone(shop.variants);
  const scene: Scene = { clock: new Clock(), failAbove: 100, pass: async (_, carryOut) => carryOut() };
  const now = () => new Date(seedMoment.getTime() + scene.clock.nowMs + scene.clock.wallMs);
  const share = () => shop.variants.find(({ variant_type }) => variant_type === 'canary')?.percentage;
  const stage = () => ({ ...ownBehaviour, state, now: now(), speed: 1, storage: '', tokens: wellKnownTokens });
  const proxy = await openProxy(stage, (what, carryOut) => scene.pass(what, carryOut));
  onTestFinished(() => proxy.close());
  const health = await startHealth(() => ({ status: (share() ?? 0) > scene.failAbove ? 500 : 200 }));
  const env = { STACKOPS_BASE_URL: proxy.url, STACKOPS_TOKEN: 'sandbox_all', STACKOPS_STACK: stack };
  return { scene, shop, seeded, now, share, health, env };
}

async function playIn(
  { scene, shop, seeded, now, share, health, env }: App,
  words: string,
  { play, turn }: { readonly play: Play; readonly turn: () => Promise<unknown> },
): Promise<Played> {
  const { from, fate, reached, failAbove = 100 } = play;
  const clock = new Clock();
  const network = underWay();
  Object.assign(clock, { nowMs: from?.nowMs ?? 0, isBusy: network.isBusy, turn, waits: () => reach('a wait') });
  shop.variants = structuredClone([...(from?.variants ?? seeded)]);
  const folder = temporaryFolder();
  const ramps = join(folder, 'stackops', 'ramp');
  if (from) restore(ramps, from.files);
  const machine: Machine = {
    folder: ramps,
    request: (how) => {
      const [name = ''] = [...filesIn(ramps).keys()].filter((one) => one.endsWith('.json'));
      writeFileSync(join(ramps, name.replace('.json', '.request')), `${how}\n`, { mode: 0o600 });
    },
  };
  play.happens?.(clock, machine);
  const reach = (at: string) =>
    reached?.({ at, nowMs: clock.nowMs, variants: structuredClone(shop.variants), files: filesIn(ramps) }, machine);
  const asked: Asked[] = [];
  const pass: Scene['pass'] = async (what, carryOut) => {
    const meets = fate?.(asked.length, what, clock.nowMs);
    asked.push({ what, atMs: clock.nowMs });
    reach(`before ${what}`);
    if (meets === 'lost' || meets === 'hang') return meets;
    if (typeof meets === 'object') {
      setShare(shop.variants, meets.sets);
      return meets;
    }
    const answer = typeof meets === 'number' || meets === 'throttled' ? refusal(meets, now()) : carryOut();
    reach(`after ${what}`);
    return meets === 'reset' ? 'lost' : answer;
  };
  Object.assign(scene, { clock, failAbove, pass });
  const argv = ['variant', 'ramp', ...words.replace('HEALTH', health.url).split(' ')];
  const own = { ...env, STACKOPS_CONFIG_DIR: temporaryFolder(), XDG_STATE_HOME: folder, ...play.env };
  try {
    const ran = await clock.until(runIn(argv, own, { clock, now }), clock.nowMs + 24 * 3_600_000);
    return { ...ran, asked, variants: shop.variants, share: share(), files: filesIn(ramps) };
  } finally {
    network.forget();
  }
}

/** The date says how long the limit of an hour lasts. By the machine's clock it would end within the hold near a full hour. */
function refusal(fault: number | 'throttled', at: Date): HttpResponse | undefined {
  const answer = faultResponse(fault);
  return answer && { ...answer, headers: { ...answer.headers, date: at.toUTCString() } };
}

function setShare(variants: readonly VariantRecord[], share: number | undefined): void {
  const canary = variants.find(({ variant_type }) => variant_type === 'canary');
  if (canary && share !== undefined) canary.percentage = share;
}

let isWarm = false;

/** Lets the program load what it needs, in good and in bad days: while it does so for the first time, time would go by. */
async function warmUp(app: App): Promise<void> {
  const words = '--steps 25,100 --every 1s --interval 1s --initial-delay 0s --min-checks 1 --check-url HEALTH -y';
  const slow = () => setTimeout(20);
  const tries: readonly (readonly [Fate | undefined, string, number])[] = [
    [undefined, words, 9],
    [503, words, 9],
    ['reset', words, 9],
    // The service wants no request for an hour.
    ['throttled', `${words} --hold-limit 2s`, 7],
    [undefined, `${words} --commit`, 0],
  ];
  for (const [meets, line, code] of tries) {
    const play = { failAbove: code === 0 ? 100 : 30, fate: (at: number) => (at === 3 ? meets : undefined) };
    for (let left = 5; left > 0; left -= 1) {
      if ((await playIn(app, line, { play, turn: slow })).code === code) break;
    }
  }
}

async function turn(): Promise<void> {
  for (let count = 0; count < 8; count += 1) await setImmediate();
}

async function runIn(
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
  { clock, now }: { readonly clock: Clock; readonly now: () => Date },
): Promise<Ran> {
  const said = { stdout: '', stderr: '' };
  const stream = (name: keyof typeof said) => ({
    terminal: false,
    width: 0,
    raw: undefined as never,
    write: async (text: string) => {
      said[name] += text;
    },
    isClosed: false,
  });
  const host: RawHost = {
    ...withoutSignals,
    version: '0.0.0',
    argv,
    env,
    platform: 'test',
    out: stream('stdout'),
    err: stream('stderr'),
    stdinTerminal: false,
    readStdin: async () => new Uint8Array(),
    ask: async () => undefined,
    signal: new AbortController().signal,
    now,
    elapsed: () => clock.nowMs,
    reference: () => 'stackops-00000000-0000-4000-8000-000000000001',
    sleep: clock.sleep,
    deadline: (ms) => {
      const late = new AbortController();
      clock.at(clock.nowMs + ms, () => late.abort());
      return late.signal;
    },
  };
  return { code: await composeAndRun(host), ...said };
}

/** Whether a request of this process waits for its answer. */
function underWay() {
  const open = new Set<unknown>();
  const began = (message: unknown) => void open.add((message as { request: unknown }).request);
  const ended = (message: unknown) => void open.delete((message as { request: unknown }).request);
  const channels = [
    ['undici:request:create', began],
    ['undici:request:trailers', ended],
    ['undici:request:error', ended],
  ] as const;
  for (const [name, listener] of channels) subscribe(name, listener);
  const isAway = () => process.getActiveResourcesInfo().some((one) => /Req|Job|Request|Process/.test(one));
  return {
    isBusy: () => open.size > 0 || isAway(),
    forget: () => {
      for (const [name, listener] of channels) unsubscribe(name, listener);
    },
  };
}

type Answered = OddResponse | 'lost' | 'hang' | undefined;

/** A proxy before a sandbox that may lose requests. */
async function openProxy(stage: () => AnswerOptions, pass: Scene['pass']) {
  const meet = async (request: IncomingMessage, response: ServerResponse) => {
    const call = await readRequest(request);
    if (!call) throw new Error('a request that is too large');
    const answer = await pass(whatOf(call), () => answerRequest(call, stage()));
    if (answer === 'hang') return;
    if (answer === 'lost' || !answer) return void request.socket.resetAndDestroy();
    const length = Buffer.byteLength(answer.text) + (answer.isCut ? 10 : 0);
    response.writeHead(answer.status, { ...answer.headers, 'content-length': length });
    if (!answer.isCut) return void response.end(answer.text);
    response.write(answer.text, () => response.destroy());
  };
  const server = createServer((request, response) => void meet(request, response).catch(() => response.destroy()));
  const port = await listen(server, 0);
  return { url: `http://127.0.0.1:${port}${basePath}`, close: () => closeServer(server) };
}

function whatOf({ method, path, body }: ReceivedRequest): string {
  if (method === 'GET') return `GET ${path.split('/').at(-1)}`;
  const { operation, canary_percentage } = JSON.parse(body);
  return `${method} ${canary_percentage ?? operation}`;
}

function filesIn(folder: string): ReadonlyMap<string, string> {
  try {
    return new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
  } catch {
    return new Map();
  }
}

function restore(folder: string, files: ReadonlyMap<string, string>): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const [name, text] of files) writeFileSync(join(folder, name), text, { mode: 0o600 });
}
