import type { Host } from '../cli/host.ts';
import { mebibyte, readNamedInput, utf8Text } from '../files/named-file.ts';

export async function readText(path: string, host: Host, mostBytes = mebibyte): Promise<string> {
  return utf8Text(await readOnce(path, host, mostBytes), path === '-' ? 'stdin' : path);
}

/** The bytes of each read path. A pipe can be read only once, but a plan that is made again needs the text again. */
const cachedBytes = new WeakMap<Host, Map<string, Promise<Uint8Array>>>();

function readOnce(path: string, host: Host, mostBytes: number): Promise<Uint8Array> {
  const bytesByPath = cachedBytes.get(host) ?? new Map<string, Promise<Uint8Array>>();
  cachedBytes.set(host, bytesByPath);
  const bytes =
    bytesByPath.get(path) ?? (path === '-' ? readStdin(host, mostBytes) : readNamedInput(path, mostBytes, host.signal));
  bytesByPath.set(path, bytes);
  return bytes;
}

async function readStdin({ stdinTerminal, err, readStdin }: Host, mostBytes: number): Promise<Uint8Array> {
  if (stdinTerminal) await err.lines(['reading from the terminal; end with Ctrl-D']);
  return readStdin(mostBytes);
}
