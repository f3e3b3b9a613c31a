import type { Host } from '../cli/host.ts';
import { mebibyte, readNamedInput, utf8Text } from '../files/named-file.ts';

/** UTF-8 text of a file, pipe or terminal (`-` for stdin) with its byte-order mark. Throws usage for anything else. */
export async function readText(path: string, host: Host, mostBytes = mebibyte): Promise<string> {
  return utf8Text(await readOnce(path, host, mostBytes), path === '-' ? 'stdin' : path);
}

/** A pipe can be read only once, but a question or a command over several stacks needs the text again. */
const cachedBytes = new WeakMap<Host, Map<string, Promise<Uint8Array>>>();

function readOnce(path: string, host: Host, mostBytes: number): Promise<Uint8Array> {
  const known = cachedBytes.get(host) ?? new Map<string, Promise<Uint8Array>>();
  cachedBytes.set(host, known);
  const bytes =
    known.get(path) ?? (path === '-' ? readStdin(host, mostBytes) : readNamedInput(path, mostBytes, host.signal));
  known.set(path, bytes);
  return bytes;
}

async function readStdin({ stdinTerminal, err, readStdin }: Host, mostBytes: number): Promise<Uint8Array> {
  if (stdinTerminal) await err.lines(['reading from the terminal; end with Ctrl-D']);
  return readStdin(mostBytes);
}
