import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';

const { wrapFunctions } = await import(new URL('../../scripts/eager-compile.mjs', import.meta.url).href);

/** Writes the functions so that begin behind a `§`. */
function written(marked: string): { readonly before: string; readonly after: string } {
  const parts = marked.split('§');
  const starts: number[] = [];
  let before = parts[0] ?? '';
  for (const part of parts.slice(1)) {
    starts.push(before.length);
    before += part;
  }
  return { before, after: wrapFunctions(before, starts) };
}

/** What a module exports as `result`, awaited. */
async function resultOf(code: string): Promise<unknown> {
  const exports: { result?: unknown } = {};
  runInNewContext(code, { exports });
  return JSON.parse(JSON.stringify(await exports.result));
}

/** What is meant, and how it is written; undefined where it stays as it is. */
test.each<readonly [about: string, code: string, rewritten: string | undefined, result: unknown]>([
  [
    'a declared function, used before it stands',
    'exports.result=a(2);§function a(b){return b+1}',
    'var a=(function (b){return b+1});exports.result=a(2);',
    3,
  ],
  [
    'one that is not meant',
    'exports.result=b();§function a(){return 1}function b(){return a()}',
    'var a=(function (){return 1});exports.result=b();function b(){return a()}',
    1,
  ],
  [
    'one within another',
    'exports.result=a();function a(){return b();§function b(){return 1}}',
    'exports.result=a();function a(){var b=(function (){return 1});return b();}',
    1,
  ],
  ['one behind a directive', "'use strict';exports.result=a();§function a(){return this===undefined}", undefined, true],
  [
    'one behind a directive of a function',
    "exports.result=a();function a(){'use strict';return b();§function b(){return this===undefined}}",
    undefined,
    true,
  ],
  ['one in a block', '{exports.result=a();§function a(){return 1}}', undefined, 1],
  [
    'a generator',
    'exports.result=[...a()];§function*a(){yield 1;yield 2}',
    'var a=(function*(){yield 1;yield 2});exports.result=[...a()];',
    [1, 2],
  ],
  [
    'an async function',
    'exports.result=a();§async function a(){return await 1}',
    'var a=(async function (){return await 1});exports.result=a();',
    1,
  ],
  ['its name', 'exports.result=a.name;§function a(){}', 'var a=(function (){});exports.result=a.name;', 'a'],
  ['an arrow', 'const a=§b=>b+1;exports.result=a(1)', 'const a=(function(b){return b+1});exports.result=a(1)', 2],
  [
    'its name and length',
    'const a=§(b,c)=>{};exports.result=[a.name,a.length]',
    'const a=(function(b,c){});exports.result=[a.name,a.length]',
    ['a', 2],
  ],
  [
    'an object as its value',
    'const a=§()=>({b:1});exports.result=a()',
    'const a=(function(){return {b:1}});exports.result=a()',
    { b: 1 },
  ],
  [
    'default values',
    'const a=§(b=1,{c,d=b}={c:2})=>b+c+d;exports.result=a()',
    'const a=(function(b=1,{c,d=b}={c:2}){return b+c+d});exports.result=a()',
    4,
  ],
  [
    'a rest',
    'const a=§(...b)=>b.length;exports.result=a(1,2)',
    'const a=(function(...b){return b.length});exports.result=a(1,2)',
    2,
  ],
  [
    'nested arrows',
    'const a=§b=>§c=>b+c;exports.result=a(1)(2)',
    'const a=(function(b){return (function(c){return b+c})});exports.result=a(1)(2)',
    3,
  ],
  [
    'the inner one alone',
    'const a=b=>§c=>b+c;exports.result=a(1)(2)',
    'const a=b=>(function(c){return b+c});exports.result=a(1)(2)',
    3,
  ],
  [
    'an async arrow',
    'const a=§async b=>await b;exports.result=a(1)',
    'const a=(async function(b){return await b});exports.result=a(1)',
    1,
  ],
  [
    'behind letters beyond ASCII',
    "const b='ä😀';const a=§()=>b;exports.result=a()",
    "const b='ä😀';const a=(function(){return b});exports.result=a()",
    'ä😀',
  ],
  ['an arrow that reads this', 'const o={n:1,m(){return(§()=>this.n)()}};exports.result=o.m()', undefined, 1],
  ['this in a default value', 'const o={n:1,m(){return(§(a=this.n)=>a)()}};exports.result=o.m()', undefined, 1],
  ['this of a shorthand', 'const o={n:1,m(){return(§({a=this.n})=>a)({})}};exports.result=o.m()', undefined, 1],
  ['this of an arrow within', 'const o={n:1,m(){return(§()=>()=>this.n)()()}};exports.result=o.m()', undefined, 1],
  [
    'this of a function within',
    'const o={n:1,m(){return(§()=>function(){return this.n})().call({n:2})}};exports.result=o.m()',
    'const o={n:1,m(){return((function(){return function(){return this.n}}))().call({n:2})}};exports.result=o.m()',
    2,
  ],
  ['arguments', 'function f(){return(§()=>arguments[0])()}exports.result=f(1)', undefined, 1],
  [
    'super',
    'class A{m(){return 1}}class B extends A{m(){return(§()=>super.m())()}}exports.result=new B().m()',
    undefined,
    1,
  ],
  ['new.target', 'function F(){this.a=(§()=>new.target===F)()}exports.result=new F().a', undefined, true],
  ['a class within', 'const a=§()=>class{n=this};exports.result=typeof new(a())().n', undefined, 'object'],
  [
    'a class member',
    'class A{a=§()=>1;static b=§()=>2;c=§()=>this.a()}exports.result=[new A().a(),A.b(),new A().c()]',
    'class A{a=(function(){return 1});static b=(function(){return 2});c=()=>this.a()}exports.result=[new A().a(),A.b(),new A().c()]',
    [1, 2, 1],
  ],
  ['a method', 'const o={§m(){return 1},get §g(){return 2}};exports.result=[o.m(),o.g]', undefined, [1, 2]],
])('%s', async (_, code, rewritten, result) => {
  const { before, after } = written(code);
  expect(after).toBe(rewritten ?? before);
  expect([await resultOf(before), await resultOf(after)]).toEqual([result, result]);
});
