import { PassThrough } from 'node:stream';
import { print, type RenderedResult } from '../../src/output/result.ts';
import { createOutput, type RawStream, type SafeOutput } from '../../src/output/safe/create-output.ts';

export interface Surroundings {
  readonly env?: Readonly<Record<string, string>>;
  readonly terminal?: boolean;
  readonly width?: number;
  readonly raw?: NodeJS.WritableStream;
}

export interface WatchedGate extends SafeOutput {
  /** What came out at the two streams, and what was asked. */
  readonly shown: () => { readonly out: string; readonly err: string };
}

/** The gate of a run, over streams that are kept. */
export function watchedGate({ env = {}, terminal = false, width = 0, raw }: Surroundings = {}): WatchedGate {
  const texts = { out: '', err: '' };
  const stream = (name: 'out' | 'err'): RawStream => ({
    terminal,
    width,
    // Few ask for it, and it takes longer to make than all else here.
    get raw() {
      return raw ?? new PassThrough().resume();
    },
    isClosed: false,
    write: async (text) => {
      texts[name] += text;
      if (name === 'err') raw?.write(text);
    },
  });
  const ask = async (question: string) => {
    texts.err += question;
    return undefined;
  };
  return Object.assign(createOutput({ out: stream('out'), err: stream('err'), ask, env }), {
    shown: () => ({ ...texts }),
  });
}

/** What a result becomes on the two streams. */
export async function printed(rendered: RenderedResult | Promise<RenderedResult>, terminal = false) {
  const gate = watchedGate({ terminal });
  await print(await rendered, gate);
  return gate.shown();
}
