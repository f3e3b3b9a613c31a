import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, onTestFinished } from 'vitest';
import { type Ran, run, temporaryFolder } from '../../support/stackops.ts';
import { type Seen, serveHttp, type TestServer } from '../http/servers.ts';

/** Never to be seen by a storage host. */
const canary = 'canary-token-4711';
export const stack = '5f3c0000000000000000000000000001';
export type File = readonly [id: string, name: string];

export interface Scene {
  readonly files?: readonly File[];
  readonly backup?: Readonly<Record<string, unknown>>;
  /** The link of a file; by default it leads to `/<id>` of the storage host. */
  readonly link?: (origin: string, id: string, nth: number) => unknown;
  /** Answers of the storage host; by default the id as text. */
  readonly store?: (request: Seen, response: ServerResponse<IncomingMessage>, nth: number) => void;
}

export interface Played {
  readonly folder: string;
  readonly storage: TestServer;
  readonly service: TestServer;
  /** For the built program: the words and variables of the same download. */
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  download(words: string, more?: { readonly terminal?: number; readonly signal?: AbortSignal }): Promise<Ran>;
}

/** A service and a storage host for one test; afterwards no request to the host may have carried the token. */
export async function play(scene: Scene, act: (played: Played) => Promise<void>): Promise<void> {
  const {
    files = [['tar', 'shop.tar']],
    backup = {},
    store = (request, response) => response.end(request.url),
  } = scene;
  const link =
    scene.link ?? ((origin: string, id: string) => ({ ok: true, public_url: `${origin}/${id}?Signature=sEcReT` }));
  const storage = await serveHttp(store);
  let links = 0;
  const answer = (url: string): unknown => {
    const path = url.slice(`/api/3/stacks/${stack}/backups/901`.length);
    if (path === '') return { id: 901, db_type: 'mysql', backup_status: 0, backup_size: 0, ...backup };
    if (path === '/files') return files.map(([id, name]) => ({ id, name }));
    links += 1;
    return link(storage.url.origin, decodeURIComponent(path.slice('/files/'.length)), links);
  };
  const service = await serveHttp(({ url }, response) => {
    response.setHeader('content-type', 'application/json');
    const value = answer(url);
    response.end(
      JSON.stringify(
        Array.isArray(value) ? { response: value, count: value.length, pagination: onePage } : { response: value },
      ),
    );
  });
  const folder = temporaryFolder();
  const env = { STACKOPS_BASE_URL: service.url.href, STACKOPS_TOKEN: canary };
  const all = ['backup', 'download', '901', '-s', stack, '--to', folder];
  const download: Played['download'] = async (words, more = {}) => {
    const ran = await run([...all, ...words.split(' ').filter(Boolean)], { env, ...more });
    const hide = (text: string) => text.replaceAll(folder, 'DIR').replaceAll(storage.url.host, 'HOST');
    expect(ran.stdout + ran.stderr).not.toMatch(/sEcReT|canary/);
    return { code: ran.code, stdout: hide(ran.stdout), stderr: hide(ran.stderr) };
  };
  onTestFinished(async () => {
    await service.close();
    await storage.close();
  });
  await act({ folder, storage, service, download, words: all, env });
  expect(JSON.stringify(storage.seen)).not.toContain(canary);
}

const onePage = { previous: null, next: null, current: 1, per_page: 30, count: 1, pages: 1 };
export const twoParts: readonly File[] = [
  ['tar-aa', 'shop.tar-aa'],
  ['tar-ab', 'shop.tar-ab'],
];
