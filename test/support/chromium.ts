import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Writable } from 'node:stream';

/** Where this machine's Chromium is, if it has one. */
export function findChromium(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const names = ['chromium', 'chromium-browser', 'google-chrome'];
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find((file) => existsSync(file));
}

export interface Page {
  /** Opens an address and resolves with the text shown when it is loaded. */
  open(url: string): Promise<string>;
  /** Clicks an element that leads to another page and resolves with the text shown there. */
  click(selector: string): Promise<string>;
}

export interface Browser {
  /** A page without a past. */
  newPage(): Promise<Page>;
  close(): Promise<void>;
}

/** A headless Chromium. */
export function openBrowser(chromium: string): Browser {
  const home = mkdtempSync(join(tmpdir(), 'stackops-test-'));
  const browser = launch(chromium, home);
  const wire = speak(browser);
  return {
    newPage: () => newPage(wire),
    close: async () => {
      if (browser.exitCode === null) {
        // Not 'close': helper processes of the browser may keep its pipes for longer. And it may end before it answers.
        const ended = once(browser, 'exit');
        void wire.send('Browser.close');
        await ended;
      }
      rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function newPage(wire: Wire): Promise<Page> {
  const { browserContextId } = await wire.send('Target.createBrowserContext');
  const { targetId } = await wire.send('Target.createTarget', { url: 'about:blank', browserContextId });
  const { sessionId } = await wire.send('Target.attachToTarget', { targetId, flatten: true });
  const ask = (method: string, params?: Params) => wire.send(method, params, String(sessionId));
  await ask('Page.enable');
  const evaluate = async (expression: string): Promise<unknown> => {
    const { result, exceptionDetails } = await ask('Runtime.evaluate', { expression, returnByValue: true });
    if (exceptionDetails) throw new Error(`${expression}: ${JSON.stringify(exceptionDetails)}`);
    return (result as { readonly value?: unknown }).value;
  };
  const loading = async (start: Promise<unknown>): Promise<string> => {
    await Promise.all([wire.event('Page.loadEventFired'), start]);
    return String(await evaluate('document.body.innerText'));
  };
  return {
    open: (url) => loading(ask('Page.navigate', { url })),
    click: (selector) => loading(evaluate(`document.querySelector(${JSON.stringify(selector)}).click()`)),
  };
}

function launch(chromium: string, home: string): ChildProcess {
  const flags = [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-dev-shm-usage',
    '--disable-breakpad',
    '--no-zygote',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    // No page in reserve, and nothing that a page of ours does not need.
    '--disable-features=MediaRouter,OptimizationHints,Translate,SpareRendererForSitePerProcess',
    `--user-data-dir=${home}`,
    '--remote-debugging-pipe',
  ];
  return spawn(chromium, flags, {
    env: { PATH: process.env['PATH'], HOME: home },
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
  });
}

type Params = Readonly<Record<string, unknown>>;

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly result?: Params;
  readonly error?: unknown;
}

interface Wire {
  send(method: string, params?: Params, sessionId?: string): Promise<Params>;
  /** The next event of this name. */
  event(method: string): Promise<void>;
}

/** The DevTools protocol over descriptors 3 and 4: JSON texts, each ended by a NUL. */
function speak(browser: ChildProcess): Wire {
  const [input, output] = [browser.stdio[3] as Writable, browser.stdio[4] as NodeJS.ReadableStream];
  const waiting = new Map<number | string, (message: Message) => void>();
  let rest = '';
  output.setEncoding('utf8');
  output.on('data', (chunk: string) => {
    const texts = (rest + chunk).split('\0');
    rest = texts.pop() ?? '';
    for (const text of texts) {
      const message = JSON.parse(text) as Message;
      const key = message.id ?? message.method ?? '';
      waiting.get(key)?.(message);
      waiting.delete(key);
    }
  });
  const next = (key: number | string) => new Promise<Message>((resolve) => waiting.set(key, resolve));
  let id = 0;
  return {
    send: async (method, params = {}, sessionId) => {
      id += 1;
      const answer = next(id);
      input.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
      const { result, error } = await answer;
      if (error) throw new Error(`${method}: ${JSON.stringify(error)}`);
      return result ?? {};
    },
    event: async (method) => void (await next(method)),
  };
}
