import { appendFileSync, readdirSync, readFileSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ownEnvironment, start } from '../../support/built.ts';
import type { Seen } from '../http/servers.ts';
import { type Played, play, type Scene, stack, twoParts } from './scene.ts';

const text = 'the first half, the second half';
const half = text.length / 2;

/** Answers of a host that knows ranges, after one that it cuts off in the middle. */
function cutOnce(validator: Readonly<Record<string, string>>, later: Scene['store']): NonNullable<Scene['store']> {
  return (request, response, nth) => {
    if (nth > 1) return later?.(request, response, nth);
    response.writeHead(200, { 'content-length': text.length, ...validator });
    response.write(text.slice(0, half), () => response.destroy());
  };
}

function rest(response: ServerResponse, validator: Readonly<Record<string, string>>, range?: string): void {
  const contentRange = range ?? `bytes ${Math.floor(half)}-${text.length - 1}/${text.length}`;
  const body = text.slice(half);
  response.writeHead(206, { 'content-length': body.length, 'content-range': contentRange, ...validator }).end(body);
}

const rangesOf = (seen: readonly Seen[]) =>
  seen.map(({ headers }) => [headers['range'], headers['if-range']].filter(Boolean).join(' '));
const etag = { etag: '"a1"' };
const again = 'downloading DIR/shop.tar again: the host did not confirm that it is the same file\n';
const half15 = 'bytes=15-';

describe('a download that was cut off', () => {
  test('keeps what came, and prints the command that continues it', () =>
    play({ store: cutOnce(etag, (_, response) => rest(response, etag)) }, async ({ download, folder, storage }) => {
      const { code, stderr } = await download('');
      expect(code).toBe(7);
      expect(stderr).toMatch(/^error: .*HOST.*; 15 bytes of DIR\/shop\.tar were kept\n/);
      expect(stderr).toContain(`\nhint: stackops backup download 901 tar --resume --to DIR -s ${stack}\n`);
      expect(readdirSync(folder)).toEqual([expect.stringMatching(/^\.stackops-/), 'shop.tar.part']);
      expect(await download('tar --resume')).toEqual({ code: 0, stdout: 'wrote DIR/shop.tar (31 B)\n', stderr: '' });
      expect(rangesOf(storage.seen)).toEqual(['', `${half15} "a1"`]);
    }));

  test('continues with the files that are not complete, and replaces what was to be replaced', () => {
    const store: Scene['store'] = ({ url, headers }, response) => {
      if (!url.startsWith('/tar-ab')) return void response.end('whole');
      if (headers['range']) return rest(response, etag);
      response.writeHead(200, { 'content-length': text.length, ...etag });
      response.write(text.slice(0, half), () => response.destroy());
    };
    return play({ files: [...twoParts, ['tar-ac', 'shop.tar-ac']], store }, async ({ download, folder }) => {
      writeFileSync(join(folder, 'shop.tar-ab'), 'old');
      const { code, stderr } = await download('--force');
      expect(code).toBe(1);
      expect(stderr).toContain(
        `\nhint: stackops backup download 901 tar-ab tar-ac --resume --force --to DIR -s ${stack}\n`,
      );
      expect((await download('tar-ab tar-ac --resume --force')).code).toBe(0);
      expect(readFileSync(join(folder, 'shop.tar-ab'), 'utf8')).toBe(text);
      expect(readdirSync(folder)).toEqual(['shop.tar-aa', 'shop.tar-ab', 'shop.tar-ac']);
    });
  });

  test.each([
    ['altered', text.slice(1, half + 1)],
    ['cut', text.slice(0, half - 1)],
  ])('is not continued where its part was %s', (_, altered) =>
    play(
      { store: cutOnce(etag, (_request, response) => response.end(text)) },
      async ({ download, folder, storage }) => {
        await download('');
        writeFileSync(join(folder, 'shop.tar.part'), altered);
        expect(await download('--resume')).toEqual({
          code: 0,
          stdout: 'wrote DIR/shop.tar (31 B)\n',
          stderr: 'downloading DIR/shop.tar again: DIR/shop.tar.part could not be verified\n',
        });
        expect(rangesOf(storage.seen)).toEqual(['', '']);
        expect(readFileSync(join(folder, 'shop.tar'), 'utf8')).toBe(text);
        expect(readdirSync(folder)).toEqual(['shop.tar']);
      },
    ),
  );

  test.each([
    ['an ETag', etag, '"a1"'],
    ['a date', { 'last-modified': 'Mon, 04 May 2026 11:00:00 GMT', etag: 'W/"a"' }, 'Mon, 04 May 2026 11:00:00 GMT'],
  ])('continues where the host proves it by %s', (_, validator, shown) =>
    play({ store: cutOnce(validator, (_request, response) => rest(response, validator)) }, async (played) => {
      const { download, folder, storage } = played;
      await download('--resume');
      expect(await download('--resume')).toEqual({ code: 0, stdout: 'wrote DIR/shop.tar (31 B)\n', stderr: '' });
      expect(rangesOf(storage.seen)).toEqual(['', `${half15} ${shown}`]);
      expect(readdirSync(folder)).toEqual(['shop.tar']);
      expect(readFileSync(join(folder, 'shop.tar'), 'utf8')).toBe(text);
    }),
  );

  test.each<[string, Scene['store'], readonly string[]]>([
    [
      'it has another file by now',
      (_, response) => response.writeHead(200, { 'content-length': text.length, etag: '"b2"' }).end(text),
      [`${half15} "a1"`],
    ],
    [
      'it sends the rest of another one',
      ({ headers }, response) => (headers['range'] ? rest(response, { etag: '"b2"' }) : void response.end(text)),
      [`${half15} "a1"`, ''],
    ],
    [
      'it sends another range',
      ({ headers }, response) =>
        headers['range'] ? rest(response, etag, `bytes 14-30/${text.length}`) : void response.end(text),
      [`${half15} "a1"`, ''],
    ],
    [
      'its file has another size',
      ({ headers }, response) => (headers['range'] ? rest(response, etag, 'bytes 15-30/32') : void response.end(text)),
      [`${half15} "a1"`, ''],
    ],
    [
      'it knows no such range',
      ({ headers }, response) =>
        void response.writeHead(headers['range'] ? 416 : 200).end(headers['range'] ? '' : text),
      [`${half15} "a1"`, ''],
    ],
  ])('starts again and says so where %s', (_, later, ranges) =>
    play({ store: cutOnce(etag, later) }, async ({ download, folder, storage }) => {
      await download('--resume');
      expect(await download('--resume')).toEqual({ code: 0, stdout: 'wrote DIR/shop.tar (31 B)\n', stderr: again });
      expect(rangesOf(storage.seen)).toEqual(['', ...ranges]);
      expect(readFileSync(join(folder, 'shop.tar'), 'utf8')).toBe(text);
      expect(readdirSync(folder)).toEqual(['shop.tar']);
    }),
  );

  test('is kept where the service refuses its link', () => {
    const link: Scene['link'] = (origin, id, nth) => ({ ok: nth !== 2, public_url: `${origin}/${id}` });
    const store = cutOnce(etag, (_, response) => rest(response, etag));
    return play({ store, link }, async ({ download, storage }) => {
      await download('');
      const { code, stderr } = await download('--resume');
      expect([code, stderr]).toEqual([6, expect.stringContaining('; 15 bytes of DIR/shop.tar were kept\n')]);
      expect((await download('--resume')).code).toBe(0);
      expect(rangesOf(storage.seen)).toEqual(['', `${half15} "a1"`]);
    });
  });

  test('is not kept where nothing could ever prove it', () =>
    play({ store: cutOnce({}, (_, response) => response.end(text)) }, async ({ download, folder }) => {
      expect((await download('--resume')).stderr).toContain('DIR/shop.tar was not saved');
      expect(readdirSync(folder)).toEqual([]);
    }));

  test('starts again in silence without --resume', () =>
    play({ store: cutOnce(etag, (_, response) => response.end(text)) }, async ({ download, storage }) => {
      await download('--resume');
      expect(await download('')).toEqual({ code: 0, stdout: 'wrote DIR/shop.tar (31 B)\n', stderr: '' });
      expect(rangesOf(storage.seen)).toEqual(['', '']);
    }));

  test('is never continued through a link', () =>
    play({ store: cutOnce(etag, (_, response) => rest(response, etag)) }, async ({ download, folder }) => {
      await download('--resume');
      const part = join(folder, 'shop.tar.part');
      unlinkSync(part);
      writeFileSync(join(folder, 'mine'), 'mine');
      symlinkSync(join(folder, 'mine'), part);
      expect(await download('--resume')).toMatchObject({ code: 1 });
      expect(readFileSync(join(folder, 'mine'), 'utf8')).toBe('mine');
    }));

  test('joined files are not continued', () =>
    play({}, async ({ download }) => {
      expect(await download('--join --resume')).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('error: use --join or --resume, not both\n'),
      });
    }));
});

describe('a download that was killed', () => {
  /** Kills the built program when half of the file has come. */
  async function killed({ words, env }: Played): Promise<void> {
    const program = start([...words, '--resume'], { env: ownEnvironment(env) });
    await expect.poll(() => hasNoted(words.at(-1) ?? ''), { interval: 5, timeout: 20_000 }).toBe(true);
    program.kill('SIGKILL');
    await program.ended;
  }

  function hasNoted(folder: string): boolean {
    const lock = readdirSync(folder).find((name) => name.endsWith('.lock'));
    return lock !== undefined && readFileSync(join(folder, lock), 'utf8').includes('"bytes":15');
  }

  const stall: Scene['store'] = (_, response, nth) => {
    if (nth > 1) return rest(response, etag);
    response.writeHead(200, { 'content-length': text.length, ...etag }).write(text.slice(0, half));
  };
  const whole: Scene['store'] = (request, response, nth) =>
    nth > 1 ? void response.end(text) : stall(request, response, nth);

  test.each(['', '--force'])('does not stand in the way of the next (%s)', (flag) =>
    play({ store: whole }, async (played) => {
      await killed(played);
      expect(await played.download(flag)).toEqual({ code: 0, stdout: 'wrote DIR/shop.tar (31 B)\n', stderr: '' });
      expect(readdirSync(played.folder)).toEqual(['shop.tar']);
    }),
  );

  test.each(['', 'what came after the last note'])('is continued (%s)', (more) =>
    play({ store: stall }, async (played) => {
      await killed(played);
      appendFileSync(join(played.folder, 'shop.tar.part'), more);
      expect((await played.download('--resume')).code).toBe(0);
      expect(rangesOf(played.storage.seen)).toEqual(['', `${half15} "a1"`]);
      expect(readFileSync(join(played.folder, 'shop.tar'), 'utf8')).toBe(text);
      expect(readdirSync(played.folder)).toEqual(['shop.tar']);
    }),
  );
});
