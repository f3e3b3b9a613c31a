import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { reads, runInTurn, writes } from './run-profile.mjs';

/**
 * V8 skips over a function when it loads a file, and reads it from its beginning when it is called; one that begins with
 * `(function` is compiled with its file. So commands show which functions are called. What every one of them calls that
 * loads its file is written so: an arrow function where it is, unless it reads `this`, and a declared one as
 * `var name=(function…)` before all else of its block, where a declaration counts from, too. A list takes 8 % less CPU on
 * Node 20, and 14 % less on Node 24 with its cache. Delete this when `node bench/startup.mjs` finds no difference.
 */
export async function compileAtOnce(dist) {
  const runs = await runInTurn(resolve(dist, 'cli.cjs'), [...reads, ...writes], { sandboxed: true, calls: true });
  for (const path of new Set(runs.flatMap(Object.keys))) {
    if (dirname(path) !== resolve(dist)) continue;
    const [first, ...others] = runs.flatMap((run) => (run[path] ? [new Set(run[path])] : []));
    const starts = [...first].filter((start) => others.every((run) => run.has(start)));
    writeFileSync(path, beginningSo(readFileSync(path, 'utf8'), starts));
  }
}

/** Writes the functions that begin at these places as `(function`. */
export function beginningSo(code, starts) {
  const isMeant = (start) => starts.includes(start);
  const write = (node, isBody = node.type === 'Program' && beginsPlainly(node)) => {
    if (!starts.some((start) => start >= node.start && start < node.end)) return code.slice(node.start, node.end);
    let [first, rest, at] = ['', '', node.start];
    for (const part of partsOf(node)) {
      rest += code.slice(at, part.start);
      at = part.end;
      const text = written(part, part === node.body && isFunction(node) && beginsPlainly(part));
      if (isBody && part.type === 'FunctionDeclaration' && isMeant(part.start)) {
        const { id, start } = part;
        first += `var ${id.name}=(${code.slice(start, id.start)}${text.slice(id.end - start)});`;
      } else rest += text;
    }
    rest += code.slice(at, node.end);
    return node.type === 'Program' ? first + rest : rest.slice(0, 1) + first + rest.slice(1);
  };
  const written = (node, isBody) =>
    node.type === 'ArrowFunctionExpression' && isMeant(node.start) ? fromArrow(node) : write(node, isBody);
  const fromArrow = (arrow) => {
    if (readsThis(arrow)) return write(arrow);
    const { params, body, expression, async } = arrow;
    const [inner, head] = [written(body, !expression && beginsPlainly(body)), async ? 'async function' : 'function'];
    return `(${head}(${params.map((one) => write(one))})${expression ? `{return ${inner}}` : inner})`;
  };
  return write(parseAst(code, { sourceType: 'script' }));
}

const isNode = (value) => typeof value?.type === 'string';
const isFunction = ({ type }) => /^(Function|Arrow)/.test(type);

/** Nothing may stand before a directive such as "use strict". */
const beginsPlainly = ({ body }) => !body?.[0]?.directive;

/** In the order of the text; what is written once for two parts, as `{a}`, is one: the longer one, as `a=this.b` of `{a=this.b}`. */
function partsOf(node) {
  const parts = Object.values(node)
    .flat()
    .filter(isNode)
    .sort((a, b) => a.start - b.start || b.end - a.end);
  return parts.filter(({ start }, at) => at === 0 || start >= parts[at - 1].end);
}

/** Whether it means what another function has. */
function readsThis(node) {
  if (/^(ThisExpression|Super|MetaProperty|ClassBody)$/.test(node.type) || node.name === 'arguments') return true;
  return partsOf(node).some((part) => !/^Function/.test(part.type) && readsThis(part));
}
