import { readFile } from 'node:fs/promises';
import type { Host } from './host.ts';
import { Problem } from './problems/problem.ts';

const most = 1024 * 1024;

/** UTF-8 text of a file, `-` for stdin, at most 1 MiB; a byte-order mark is kept. Throws usage for anything else. */
export async function readText(path: string, host: Host): Promise<string> {
  const shown = path === '-' ? 'stdin' : path;
  const bytes = path === '-' ? await readStdin(host) : await readBytes(path);
  if (bytes.length > most) throw new Problem('usage', `${shown} holds more than 1 MiB`);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Problem('usage', `${shown} is not valid UTF-8`);
  }
}

/** What came in on stdin comes once; a command over several stacks asks for it again at each. */
const stdins = new WeakMap<Host, Promise<Uint8Array>>();

function readStdin(host: Host): Promise<Uint8Array> {
  const known = stdins.get(host) ?? readOnce(host);
  stdins.set(host, known);
  return known;
}

async function readOnce({ stdinTerminal, err, readStdin }: Host): Promise<Uint8Array> {
  if (stdinTerminal) await err.lines(['reading from the terminal; end with Ctrl-D']);
  return readStdin();
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'permission denied',
};

async function readBytes(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    throw new Problem('usage', `cannot read ${path}: ${reasons[code] ?? code}`);
  }
}
