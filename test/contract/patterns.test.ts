import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createContext, Script } from 'node:vm';
import { parseAst } from 'rolldown/parseAst';
import { expect, test } from 'vitest';

interface Pattern {
  /** `cli/remote-run.ts: /a+/g` */
  readonly name: string;
  readonly regex: RegExp;
}
const src = resolve(import.meta.dirname, '../../src');
const patterns = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .flatMap((file) => {
    const code = readFileSync(join(src, file), 'utf8');
    return literalsIn(parseAst(code, { lang: 'ts' })).map(
      ({ pattern, flags }): Pattern => ({
        name: `${file}: /${pattern}/${flags}`,
        regex: new RegExp(pattern, flags),
      }),
    );
  });

interface Literal {
  readonly pattern: string;
  readonly flags: string;
}

function literalsIn(node: unknown): readonly Literal[] {
  if (typeof node !== 'object' || node === null) return [];
  const own = 'regex' in node && node.regex ? [node.regex as Literal] : [];
  return [...own, ...Object.values(node).flatMap(literalsIn)];
}

interface Repeated {
  readonly start: string;
  readonly unit: string;
}

/** Texts that a pattern may almost match: its own characters and words, again and again. */
function repeated({ regex }: Pattern): readonly Repeated[] {
  const literal = regex.source.replace(/\\(\W)/g, '$1');
  const words = literal.match(/[^|[\]*+?^$]{2,}/g) ?? [];
  const escaped = [' ', '\t', '\n', '\r', '\\', '0', 'a', 'A', 'é', 'a ', ' a', 'a=', 'a.', '.a', '"\\', ' \n'];
  const units = [...new Set([...literal, ...words, ...words.map((word) => `${word} (`), ...escaped])];
  return units.flatMap((unit) => ['', 'a'].map((start) => ({ start, unit })));
}

const limitMs = 1500;

const context = createContext({ text: '', regex: /a/ });
const replace = new Script('text.replace(regex, "")');

/** Milliseconds of the processor, which do not depend on what else runs; Infinity for a pattern that does not end. */
function duration({ regex }: Pattern, { start, unit }: Repeated, bytes: number): number {
  regex.lastIndex = 0;
  Object.assign(context, { regex, text: `${start}${unit.repeat(bytes / unit.length)}!` });
  const before = process.cpuUsage();
  try {
    replace.runInContext(context, { timeout: 10 * limitMs });
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return Number.POSITIVE_INFINITY;
    throw error;
  }
  return process.cpuUsage(before).user / 1000;
}

test('every pattern takes 1 MiB of any text in linear time', { timeout: 300_000 }, () => {
  expect(patterns.length).toBeGreaterThan(300);
  const slow = patterns.flatMap((pattern) => {
    const times = repeated(pattern).map((text) => ({ text, ms: duration(pattern, text, 16_384) }));
    const [worst] = times.toSorted((one, other) => other.ms - one.ms);
    const isSlow = worst !== undefined && duration(pattern, worst.text, 1024 * 1024) > limitMs;
    return isSlow ? [`${pattern.name} ${JSON.stringify(worst.text.unit)}`] : [];
  });
  expect(slow).toEqual([]);
});
