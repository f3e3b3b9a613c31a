import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { play, type Scene, stack, twoParts } from './scene.ts';

describe('what is written', () => {
  test('all files, a line for each', () =>
    play({ files: twoParts }, async ({ folder, download }) => {
      expect(await download('')).toEqual({
        code: 0,
        stdout: 'wrote DIR/shop.tar-aa (24 B)\nwrote DIR/shop.tar-ab (24 B)\n',
        stderr: '',
      });
      expect(readFileSync(join(folder, 'shop.tar-ab'), 'utf8')).toBe('/tar-ab?Signature=sEcReT');
    }));

  test('those that are named, by id or by name, each once', () =>
    play({ files: [...twoParts, ['sum', 'shop.sum']] }, async ({ download, folder, service }) => {
      const { stdout } = await download('shop.tar-ab sum tar-ab --json');
      expect(JSON.parse(stdout)).toEqual([
        { file: 'tar-ab', path: 'DIR/shop.tar-ab', bytes: 24 },
        { file: 'sum', path: 'DIR/shop.sum', bytes: 21 },
      ]);
      expect(readdirSync(folder)).toEqual(['shop.sum', 'shop.tar-ab']);
      expect(service.seen.map(({ url }) => url.split('/').at(-1))).toEqual(['901', 'files', 'tar-ab', 'sum']);
    }));

  test('one file of all parts, joined in order', () =>
    play({ files: twoParts }, async ({ folder, download }) => {
      expect((await download('--join --json --fields file,bytes')).stdout).toBe(
        '[{"file":"tar-aa,tar-ab","bytes":48}]\n',
      );
      expect(readdirSync(folder)).toEqual(['shop.tar']);
      expect(readFileSync(join(folder, 'shop.tar'), 'utf8')).toBe('/tar-aa?Signature=sEcReT/tar-ab?Signature=sEcReT');
    }));

  test('nothing outside the folder, whatever the service calls its files', () =>
    play({ files: [['x', '../../evil']] }, async ({ folder, download }) => {
      expect((await download('')).stdout).toBe('wrote DIR/evil (19 B)\n');
      expect(readdirSync(folder)).toEqual(['evil']);
    }));

  test('nothing at all with --dry-run', () =>
    play({}, async ({ folder, download, storage }) => {
      expect(await download('--dry-run')).toEqual({ code: 0, stdout: '', stderr: 'would write DIR/shop.tar\n' });
      expect(readdirSync(folder)).toEqual([]);
      expect(storage.seen).toEqual([]);
    }));

  test('a bar on a terminal, which is gone at the end', () =>
    play({}, async ({ download }) => {
      const { stdout, stderr } = await download('', { terminal: 80 });
      expect(stdout).toBe('wrote DIR/shop.tar (21 B)\n');
      expect(stderr).toMatch(/^\r\x1b\[K.* {2}0 % {2}0 B of 21 B\r\x1b\[K$/);
      const again = await download('--force -q', { terminal: 80 });
      expect(again).toEqual({ code: 0, stdout: '', stderr: '' });
    }));
});

describe('what is refused before anything is read', () => {
  test('a file that exists, a link, a folder that does not', () =>
    play({}, async ({ folder, download, storage }) => {
      writeFileSync(join(folder, 'shop.tar'), 'mine');
      const { code, stderr } = await download('');
      expect(code).toBe(1);
      expect(stderr).toBe(
        `error: cannot write DIR/shop.tar: it already exists\nhint: stackops backup download 901 --to DIR -s ${stack} --force\n`,
      );
      expect((await download('--to missing')).stderr).toBe(
        'error: cannot write missing: the folder does not exist\nhint: mkdir -p missing\n',
      );
      expect(readFileSync(join(folder, 'shop.tar'), 'utf8')).toBe('mine');
      expect(storage.seen).toEqual([]);
      expect(await download('--force')).toMatchObject({ code: 0, stdout: 'wrote DIR/shop.tar (21 B)\n' });
    }));

  test('a link in the place of the file, also when forced', () =>
    play({}, async ({ folder, download, storage }) => {
      mkdirSync(join(folder, 'other'));
      symlinkSync(join(folder, 'other', 'x'), join(folder, 'shop.tar'));
      const message = 'error: cannot write DIR/shop.tar: it exists and is not a regular file\n';
      expect(await download('--force')).toEqual({ code: 1, stdout: '', stderr: message });
      expect(readdirSync(join(folder, 'other'))).toEqual([]);
      expect(storage.seen).toEqual([]);
    }));

  test('names that no file should have', () =>
    play(
      {
        files: [
          ['a', 'NUL'],
          ['b', 'b'],
        ],
      },
      async ({ download }) => {
        const message =
          'error: unsafe file name from the service: "NUL" is the name of a device; it was not downloaded\n';
        expect(await download('')).toEqual({ code: 2, stdout: '', stderr: message });
        expect(await download('b')).toMatchObject({ code: 0 });
      },
    ));

  test('a file that is not there, and part of a whole', () =>
    play({ files: twoParts }, async ({ download }) => {
      expect(await download('tar-ac')).toEqual({
        code: 3,
        stdout: '',
        stderr: `error: backup 901 has no file "tar-ac"\nhint: stackops backup download 901 tar-aa --to DIR -s ${stack}\n`,
      });
      expect((await download('zzz')).stderr).toBe(
        `error: backup 901 has no file "zzz"\nhint: stackops backup files 901 -s ${stack}\n`,
      );
      const joined = await download('tar-aa --join');
      expect(joined.stderr).toBe('error: --join joins all files of a backup, so it takes no file names\n');
      expect(joined.code).toBe(2);
    }));

  test('a backup without files', () =>
    play({ files: [] }, async ({ download }) => {
      expect(await download('')).toMatchObject({ code: 3, stderr: expect.stringContaining('backup 901 has no files') });
    }));
});

describe('more than the service can know of', () => {
  const mebibyte = 1024 * 1024;

  test('is not begun when the host announces it', () =>
    play(
      {
        backup: { backup_size: 7 },
        store: (_, response) => void response.writeHead(200, { 'content-length': 300 * mebibyte }).write('x'),
      },
      async ({ download, folder }) => {
        const message = 'DIR/shop.tar is too large: more than 67108871 bytes, far above the size the service shows';
        expect(await download('')).toEqual({
          code: 7,
          stdout: '',
          stderr: `error: ${message}; DIR/shop.tar was not saved\n`,
        });
        expect(readdirSync(folder)).toEqual([]);
      },
    ));

  test('is stopped when the host does not', () => {
    let written = 0;
    const piece = Buffer.alloc(4 * mebibyte);
    const store: Scene['store'] = (_, response) => {
      const pour = () => {
        while (written < 300 * mebibyte && !response.destroyed) {
          written += piece.length;
          if (!response.write(piece)) return void response.once('drain', pour);
        }
        response.end();
      };
      pour();
    };
    return play({ backup: { backup_size: 7 }, store }, async ({ download, folder }) => {
      expect(await download('')).toMatchObject({
        code: 7,
        stderr: expect.stringContaining('is too large: more than 67108871'),
      });
      expect(written).toBeLessThan(100 * mebibyte);
      expect(readdirSync(folder)).toEqual([]);
    });
  });

  test('is allowed twice', () =>
    play(
      {
        backup: { backup_size: 80 * mebibyte },
        store: (_, response) => response.end(Buffer.alloc(160 * mebibyte)),
      },
      async ({ download }) => {
        expect((await download('--json')).stdout).toContain(`"bytes":${160 * mebibyte}`);
      },
    ));
});

describe('links', () => {
  test('that ran out are asked for once more', () =>
    play(
      {
        link: (origin, id, nth) => ({ ok: true, public_url: `${origin}/${id}?n=${nth}` }),
        store: ({ url }, response) => response.writeHead(url.endsWith('n=1') ? 403 : 200).end('hello'),
      },
      async ({ download, storage }) => {
        expect((await download('')).stdout).toBe('wrote DIR/shop.tar (5 B)\n');
        expect(storage.seen.map(({ url }) => url)).toEqual(['/tar?n=1', '/tar?n=2']);
      },
    ));

  test('that stay refused end it', () =>
    play({ store: (_, response) => response.writeHead(403).end('<Error/>') }, async ({ download, storage, folder }) => {
      expect(await download('')).toEqual({
        code: 7,
        stdout: '',
        stderr: 'error: the storage host HOST refused the download (403); DIR/shop.tar was not saved\n',
      });
      expect(storage.seen).toHaveLength(2);
      expect(readdirSync(folder)).toEqual([]);
    }));

  test('have their percent signs put right', () =>
    play(
      { link: (origin, id) => ({ ok: true, public_url: `${origin}/${id}%252Ba?s=%2525` }) },
      async ({ download, storage }) => {
        await download('');
        expect(storage.seen.map(({ url }) => url)).toEqual(['/tar%2Ba?s=%25']);
      },
    ));

  test('that the service does not give', () =>
    play({ link: () => ({ ok: true, public_url: '' }) }, async ({ download, folder }) => {
      const { code, stderr } = await download('');
      expect(code).toBe(7);
      expect(stderr).toContain(
        'error: the service returned no link for file "tar" of backup 901; DIR/shop.tar was not saved\n',
      );
      expect(readdirSync(folder)).toEqual([]);
    }));

  test('that the service refuses', () =>
    play({ link: () => ({ ok: false, public_url: 'http://127.0.0.1:1/' }) }, async ({ download, folder }) => {
      expect((await download('')).code).toBe(6);
      expect(readdirSync(folder)).toEqual([]);
    }));
});

describe('what does not arrive whole is not kept', () => {
  test.each([
    [
      'a short body',
      (response: ServerResponse) =>
        void response.writeHead(200, { 'content-length': 9 }).write('hello', () => response.destroy()),
    ],
    [
      'a redirect to plain http',
      (response: ServerResponse) => response.writeHead(302, { location: 'http://storage.example/' }).end(),
    ],
    ['a web page', (response: ServerResponse) => response.setHeader('content-type', 'text/html').end('<html>')],
    ['a server error', (response: ServerResponse) => response.writeHead(500).end()],
  ])('%s', (_, store) =>
    play({ store: (_, response) => void store(response) }, async ({ download, folder }) => {
      const { code, stdout, stderr } = await download('');
      expect([code, stdout]).toEqual([7, '']);
      expect(stderr).toMatch(/^error: .*HOST .*; DIR\/shop\.tar was not saved\n$/);
      expect(readdirSync(folder)).toEqual([]);
    }),
  );

  test('less than the service has on record', () =>
    play({ backup: { backup_size: 22 } }, async ({ download, folder }) => {
      const message = 'DIR/shop.tar is incomplete: 21 of 22 bytes; DIR/shop.tar was not saved';
      expect(await download('')).toEqual({ code: 7, stdout: '', stderr: `error: ${message}\n` });
      expect(readdirSync(folder)).toEqual([]);
    }));

  test('the size on record is that of what a compressed file held, and of all parts together', async () => {
    await play({ backup: { backup_size: 22 }, files: [['gz', 'shop.sql.gz']] }, async ({ download }) => {
      expect((await download('')).code).toBe(0);
    });
    await play({ backup: { backup_size: 49 }, files: twoParts }, async ({ download }) => {
      expect((await download('tar-aa')).code).toBe(0);
      expect((await download('--join')).code).toBe(7);
    });
  });

  test('the second file fails: the first stays and is told', () =>
    play(
      {
        files: [...twoParts, ['tar-ac', 'shop.tar-ac']],
        store: ({ url }, response) => response.writeHead(url.includes('ab') ? 500 : 200).end('x'),
      },
      async ({ download, folder }) => {
        expect(await download('')).toEqual({
          code: 1,
          stdout: 'wrote DIR/shop.tar-aa (1 B)\n',
          stderr:
            'error: DIR/shop.tar-ab failed: the storage host HOST refused the download (500); DIR/shop.tar-ab was not saved. DIR/shop.tar-aa succeeded. Not tried: DIR/shop.tar-ac.\n',
        });
        expect(readdirSync(folder)).toEqual(['shop.tar-aa']);
      },
    ));

  test('an interruption leaves nothing', () => {
    const stop = new AbortController();
    const store: Scene['store'] = (_, response) => {
      response.writeHead(200, { 'content-length': 9 }).write('hello');
      stop.abort('SIGINT');
    };
    return play({ store }, async ({ download, folder }) => {
      expect(await download('', { signal: stop.signal })).toMatchObject({
        code: 130,
        stderr: 'error: interrupted; DIR/shop.tar was not saved\n',
      });
      expect(readdirSync(folder)).toEqual([]);
    });
  });

  test('an interruption before the second file does not say that nothing was done', () => {
    const stop = new AbortController();
    const link: Scene['link'] = (origin, id, nth) => {
      if (nth === 2) stop.abort('SIGINT');
      return { ok: true, public_url: `${origin}/${id}` };
    };
    return play({ files: twoParts, link }, async ({ download, folder }) => {
      expect(await download('', { signal: stop.signal })).toMatchObject({
        stdout: 'wrote DIR/shop.tar-aa (7 B)\n',
        stderr:
          'error: DIR/shop.tar-ab failed: interrupted; DIR/shop.tar-ab was not saved. DIR/shop.tar-aa succeeded.\n',
      });
      expect(readdirSync(folder)).toEqual(['shop.tar-aa']);
    });
  });

  test('a backup that failed is downloaded with a warning', () =>
    play({ backup: { backup_status: 1, backup_result: 'disk full' } }, async ({ download }) => {
      expect(await download('')).toMatchObject({
        code: 0,
        stderr: 'warning: backup 901 is recorded as failed: disk full\n',
      });
    }));
});
