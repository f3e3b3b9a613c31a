import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { profileRuns, reads, writes } from './run-profile.mjs';

/**
 * V8 skips a function when it loads a file, and compiles it when it is called; a function that begins with `(function`
 * is compiled with its file. So commands show which functions they call. A function that every command calls is
 * rewritten: an arrow function in its place, unless it uses `this`; a declaration as `var name=(function…)` at the
 * beginning of its block, because declarations are hoisted. A list takes 8 % less CPU on Node 20, and 14 % less on Node
 * 24 with its cache. Delete this file when `node bench/startup.mjs` finds no difference.
 */
export async function compileEagerly(dist) {
  const runs = await profileRuns(resolve(dist, 'cli.cjs'), [...reads, ...writes], { sandboxed: true, calls: true });
  for (const path of new Set(runs.flatMap(Object.keys))) {
    if (dirname(path) !== resolve(dist)) continue;
    const [first, ...others] = runs.flatMap((run) => (run[path] ? [new Set(run[path])] : []));
    const starts = [...first].filter((start) => others.every((run) => run.has(start)));
    writeFileSync(path, wrapFunctions(readFileSync(path, 'utf8'), starts));
  }
}

/** Rewrites the functions at these positions as `(function`. */
export function wrapFunctions(code, starts) {
  const isListed = (start) => starts.includes(start);
  const write = (node, isBody = node.type === 'Program' && hasNoDirective(node)) => {
    if (!starts.some((start) => start >= node.start && start < node.end)) return code.slice(node.start, node.end);
    let [first, rest, at] = ['', '', node.start];
    for (const part of partsOf(node)) {
      rest += code.slice(at, part.start);
      at = part.end;
      const text = written(part, part === node.body && isFunction(node) && hasNoDirective(part));
      if (isBody && part.type === 'FunctionDeclaration' && isListed(part.start)) {
        const { id, start } = part;
        first += `var ${id.name}=(${code.slice(start, id.start)}${text.slice(id.end - start)});`;
      } else rest += text;
    }
    rest += code.slice(at, node.end);
    return node.type === 'Program' ? first + rest : rest.slice(0, 1) + first + rest.slice(1);
  };
  const written = (node, isBody) =>
    node.type === 'ArrowFunctionExpression' && isListed(node.start) ? fromArrow(node) : write(node, isBody);
  const fromArrow = (arrow) => {
    if (readsThis(arrow)) return write(arrow);
    const { params, body, expression, async } = arrow;
    const [inner, head] = [written(body, !expression && hasNoDirective(body)), async ? 'async function' : 'function'];
    return `(${head}(${params.map((one) => write(one))})${expression ? `{return ${inner}}` : inner})`;
  };
  return write(parseAst(code, { sourceType: 'script' }));
}

const isNode = (value) => typeof value?.type === 'string';
const isFunction = ({ type }) => /^(Function|Arrow)/.test(type);

/** A directive such as "use strict" must stay first. */
const hasNoDirective = ({ body }) => !body?.[0]?.directive;

/**
 * The parts in the order of the text. If two parts overlap, as `a=this.b` and `a` in `{a=this.b}`, the longer one
 * counts.
 */
function partsOf(node) {
  const parts = Object.values(node)
    .flat()
    .filter(isNode)
    .sort((a, b) => a.start - b.start || b.end - a.end);
  return parts.filter(({ start }, at) => at === 0 || start >= parts[at - 1].end);
}

/** True if it uses `this` of the function around it. */
function readsThis(node) {
  if (/^(ThisExpression|Super|MetaProperty|ClassBody)$/.test(node.type) || node.name === 'arguments') return true;
  return partsOf(node).some((part) => !/^Function/.test(part.type) && readsThis(part));
}
