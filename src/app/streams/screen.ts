import type { Screen } from '../../cli/host.ts';

type Stdin = NodeJS.ReadStream;
type Stdout = NodeJS.WriteStream;

/** The terminal of the process. `stdin`: undefined where it is none, or has ended. */
export function terminalScreen(stdin: () => Stdin | undefined, stdout: () => Stdout): Screen {
  return {
    get height() {
      return stdout().rows ?? 0;
    },
    get hasKeys() {
      return stdin() !== undefined;
    },
    listen: (take) => {
      const resized = () => take('resized');
      stdout().on('resize', resized);
      const input = stdin();
      const restore = input && readKeys(input, () => take('quit'));
      return () => {
        stdout().off('resize', resized);
        restore?.();
      };
    },
  };
}

/** Begins what other keys send. */
const keyEscape = '\x1b';
/** In raw mode Ctrl-C is a key. */
const quitKeys = ['q', 'Q', '\x03'];

function readKeys(input: Stdin, quit: () => void): () => void {
  const typed = (keys: Buffer) => {
    if (isQuit(keys.toString())) quit();
  };
  input.setRawMode(true);
  input.on('data', typed);
  return () => {
    input.off('data', typed);
    input.pause();
    input.setRawMode(false);
  };
}

function isQuit(keys: string): boolean {
  return !keys.startsWith(keyEscape) && quitKeys.some((key) => keys.includes(key));
}
