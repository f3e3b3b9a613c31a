import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { parseSync, Visitor } from 'rolldown/utils';

/**
 * `npm run texts`: the messages in the source, each with file and line.
 *
 *     npm run texts -- 'not found'    only those that match
 *     npm run texts -- --comments     the comments instead
 *     npm run texts -- --check        avoided words in messages, names and comments, errors that begin with a capital,
 *                                     and names that are exported twice; exit code 1 if there are any
 */
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { check: { type: 'boolean' }, comments: { type: 'boolean' } },
});

/** Words that are unusual in this field. `(?! up| like)`: to look up is the usual term. */
const avoided =
  /\b(deeds?|wish(es)?|told|weigh(s|ed)?|shel(f|ves)|sitting|look(s|ed|ing)?(?! up| like)|sight|fate|misfortune|doomed|lasting|unsettled|things?|became of|go(es)? on|went on|shall|asked about|as new|rehears\w+|kept (in|at)|severally|one word too many)\b/i;

/** A comment begins with its subject, and its verbs have an actor. */
const avoidedInComments =
  /^(What|Of|The same)\b|\b(somebody|nobody|whoever|of ours|is none|comes of|is told|as it should)\b/i;
/** The number of such comments that are left; it only goes down. */
const mostAvoidedComments = 20;

const src = resolve(import.meta.dirname, '../src');
const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).map((file) => file.replaceAll('\\', '/'));
const sources = [
  ...files
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
    .sort()
    .map(readSource),
  ...files.filter((file) => /\/(topics\/[\w-]+|words\/instructions)\.txt$/.test(file)).map(readText),
];
const all = (kind) => sources.flatMap((source) => source[kind]);

if (options.check) {
  const avoidedComments = all('comments').filter(({ text }) => avoidedInComments.test(text));
  const found = [
    ['avoided words in texts', all('texts').filter(({ text }) => avoided.test(text))],
    ['avoided words in names', all('names').filter(({ text }) => avoided.test(spaced(text)))],
    ['errors that begin with a capital', all('errors').filter(({ text }) => /^\p{Lu}\p{Ll}+(?![\w-])/u.test(text))],
    ['names exported by several files', exportedTwice()],
    [
      `avoided words in comments: ${avoidedComments.length}, at most ${mostAvoidedComments}`,
      avoidedComments.length > mostAvoidedComments ? avoidedComments : [],
    ],
  ].filter(([, places]) => places.length > 0);
  for (const [heading, places] of found) print(heading, places);
  if (found.length > 0) process.exitCode = 1;
} else {
  const filter = new RegExp(positionals[0] ?? '', 'i');
  const matching = all(options.comments ? 'comments' : 'texts').filter(({ text }) => filter.test(text));
  for (const [folder, found] of groups(matching, ({ file }) => file.split('/').slice(0, -1).join('/'))) {
    print(join('src', folder), found);
  }
}

function print(heading, found) {
  console.log(`\n${heading}`);
  for (const { file, line, text } of found) console.log(`  src/${file}:${line}  ${text}`);
}

/** Node 20 has no `Map.groupBy`. */
function groups(found, keyOf) {
  const byKey = new Map();
  for (const one of found) byKey.set(keyOf(one), [...(byKey.get(keyOf(one)) ?? []), one]);
  return byKey;
}

/** `replyOf`, `reply_of`: reply of. */
function spaced(name) {
  return name.replace(/([a-z\d])([A-Z])/g, '$1 $2').replaceAll('_', ' ');
}

function exportedTwice() {
  const byName = groups(all('exports'), ({ text }) => text);
  return [...byName.values()].filter(([, ...others]) => others.length > 0).flat();
}

/** Reads a file that holds nothing but messages. */
function readText(file) {
  const lines = readFileSync(join(src, file), 'utf8').split('\n');
  const texts = lines.map((text, index) => ({ file, line: index + 1, text })).filter(({ text }) => isSentence(text));
  return { texts, errors: [], comments: [], names: [], exports: [] };
}

/** `{ texts, errors, comments, names, exports }` of a file, each a list of `{ file, line, text }`. */
function readSource(file) {
  const code = readFileSync(join(src, file), 'utf8');
  const { program, comments } = parseSync(file, code);
  const place = (start, text) => ({ file, line: code.slice(0, start).split('\n').length, text });
  const texts = [];
  const errors = [];
  const names = new Map();
  const exports = new Map();
  const skipped = new Set();
  const skip = (node) => skipped.add(node?.start);
  const addText = ({ start, end }) => {
    const text = code.slice(start + 1, end - 1).replace(/\s*\n\s*/g, ' ');
    if (!skipped.has(start) && isSentence(text)) texts.push(place(start, text));
  };
  const addErrors = (node) => {
    if (node?.type === 'ConditionalExpression') [node.consequent, node.alternate].forEach(addErrors);
    else if (node && /Literal$/.test(node.type))
      errors.push(place(node.start, code.slice(node.start + 1, node.end - 1)));
  };
  new Visitor({
    ImportDeclaration: (node) => skip(node.source),
    ExportNamedDeclaration: ({ declaration }) => {
      const named = (declaration?.declarations ?? [declaration]).map((one) => one?.id).filter((id) => id?.name);
      for (const { name, start } of named) exports.set(name, place(start, name));
    },
    TSLiteralType: ({ literal }) => skip(literal),
    Property: ({ key }) => skip(key),
    Literal: (node) => typeof node.value === 'string' && addText(node),
    TemplateLiteral: addText,
    NewExpression: ({ callee, arguments: [, message] }) => callee.name === 'CliError' && addErrors(message),
    VariableDeclarator: ({ id, init }) => id.name === 'message' && addErrors(init),
    Identifier: ({ start, name }) => names.has(name) || names.set(name, place(start, name)),
  }).visit(program);
  return {
    texts,
    errors,
    names: [...names.values()],
    exports: [...exports.values()],
    comments: comments.map(({ start, value }) => place(start, value.replace(/\s*\n?\s*\*?\s+/g, ' ').trim())),
  };
}

/** Messages have two words, or end like a sentence. */
function isSentence(text) {
  return /\p{L}{2}.*\s|\s.*\p{L}{2}|\p{L}[.:?!…]$/u.test(text);
}
