import { setFlagsFromString } from 'node:v8';
import type { Jq } from 'jq-wasm/inline';

interface JqRun {
  /** One JSON text per output. */
  readonly outputs: readonly string[];
  /** What jq wrote on its stderr. */
  readonly said: string;
  readonly exitCode: number;
}

/** In front of every text of a JSON text sequence (RFC 7464); within JSON it cannot stand bare. */
const mark = '\u001e';
let engine: Promise<Jq> | undefined;

/** Runs an expression on one JSON text, or, without a text, only reads the expression. The engine is jq itself, compiled to WebAssembly. */
export async function runJq(expression: string, json: string | undefined, indent: boolean): Promise<JqRun> {
  engine ??= loadEngine();
  const jq = await engine;
  const flags = ['--seq', ...(indent ? [] : ['-c']), '--'];
  try {
    const { stdout, stderr, exitCode } = quietly(() =>
      jq.raw(json === undefined ? '' : `${mark}${json}\n`, expression, flags),
    );
    const [, unread] = /^jq: ignoring parse error: (.*)$/m.exec(stderr) ?? [];
    // In a sequence jq goes on behind what it cannot read, and ends with 0.
    if (json !== undefined && unread !== undefined)
      return { outputs: [], said: `jq: error: it cannot read the JSON: ${unread}`, exitCode: 2 };
    const outputs = stdout.split(mark).slice(1);
    return { outputs: outputs.map((text) => text.trimEnd()), said: stderr, exitCode };
  } catch {
    // WebAssembly ends in an exception where a process would be killed.
    return { outputs: [], said: 'jq: error: out of memory', exitCode: 5 };
  }
}

/** Of WebAssembly V8 compiles again what runs often. That costs a start of jq more than most expressions take. */
async function loadEngine(): Promise<Jq> {
  setFlagsFromString('--liftoff-only');
  const { loadJq } = await import('jq-wasm/inline');
  return loadJq();
}

/** An engine that gives up says so on the console, past every stream of ours. */
function quietly<T>(act: () => T): T {
  const { error } = console;
  console.error = () => undefined;
  try {
    return act();
  } finally {
    console.error = error;
  }
}
