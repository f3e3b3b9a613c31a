import type { Screen } from '../../cli/host.ts';

type Stdin = NodeJS.ReadStream;
type Stdout = NodeJS.WriteStream;

/**
 * The terminal of the process. `stdin`: undefined without a terminal or after its end. `interrupt`: the effect of
 * Ctrl-C.
 */
export function terminalScreen(stdin: () => Stdin | undefined, stdout: () => Stdout, interrupt: () => void): Screen {
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
      const restore = input && readKeys(input, () => take('quit'), interrupt);
      return () => {
        stdout().off('resize', resized);
        restore?.();
      };
    },
  };
}

/** Escape sequences of arrows and other keys; they may arrive together with the next key. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: keys are sent as control characters
const otherKeys = /\x1b(?:\[[0-?]*[ -/]*[@-~]|O.)?/g;
/** In raw mode Ctrl-C is a key. */
const interruptKey = '\x03';
const quitKeys = ['q', 'Q'];

function readKeys(input: Stdin, quit: () => void, interrupt: () => void): () => void {
  const typed = (keys: Buffer) => {
    const text = keys.toString().replaceAll(otherKeys, '');
    if (text.includes(interruptKey)) interrupt();
    else if (quitKeys.some((key) => text.includes(key))) quit();
  };
  input.setRawMode(true);
  input.on('data', typed);
  return () => {
    input.off('data', typed);
    input.pause();
    input.setRawMode(false);
  };
}
