import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { text as readAll } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';

/**
 * `npm run demo`: a short tour of a new sandbox. Every line after `$` is run as printed, on the real streams. The first
 * command that fails ends the tour with 1.
 */
const bin = resolve(import.meta.dirname, '../bin/stackops.js');
const home = mkdtempSync(join(tmpdir(), 'stackops-tour-'));
const env = { ...ownEnvironment(), STACKOPS_CONFIG_DIR: join(home, 'config'), XDG_STATE_HOME: join(home, 'state') };
const colourful = process.stdout.isTTY && !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb';
const running = new Set();

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    cleanUp();
    process.kill(process.pid, signal);
  });
}
try {
  await tour();
} catch (error) {
  process.stderr.write(`\nThe tour ended early: ${error.message}\n`);
  process.exitCode = 1;
} finally {
  cleanUp();
}

async function tour() {
  say('A tour of stackops on a sandbox: nothing here is real, and nothing is kept.');

  title('1. Start a service to practise on');
  const { address, id, secret } = await startSandbox(20);

  title('2. Tell the tool where it is, and sign in');
  await stackops('profile', 'set', `base_url=${address}`, 'output=table');
  shell(`export STACKOPS_CLIENT_SECRET=${secret}`);
  env.STACKOPS_CLIENT_SECRET = secret;
  await signIn(id);
  await stackops('stack', 'list', '--columns', 'uid,name,environment,status');
  await stackops('stack', 'use', 'shop');

  title('3. Set an environment variable');
  await stackops('stack', 'env', 'set', 'LOG_LEVEL=debug', 'MOTTO=Read more');
  await stackops('stack', 'env', 'get', 'MOTTO');

  title('4. Shift traffic to a canary');
  const variants = ['variant', 'list', '--columns', 'uid,variant_type,percentage,created_at'];
  await stackops(...variants);
  await stackops('variant', 'weight', 'va-canary', '25', '--dry-run');
  await stackops('variant', 'weight', 'va-canary', '25');
  await stackops(...variants);

  title('5. Create a database user');
  await stackops('db', 'user', 'create', 'reporter', '--type', 'readonly');
  const { id: action } = await settled(['action', 'list'], ({ finished_at: end }) => end !== null);
  await stackops('action', 'get', String(action));

  title('6. Deploy again');
  await stackops('redeploy', '-y');
  await stackops('deployment', 'list', '--limit', '3', '--columns', 'id,outcome,started_at,is_live');
  await settled(['deployment', 'list'], ({ is_live: isLive }) => isLive);
  say('');
  remark('A moment later, and as a script reads it:');
  await stackops('deployment', 'list', '--limit', '2', '--json', '--fields', 'id,outcome,is_live');

  title('Next');
  say('  node bin/stackops.js --sandbox stack list   a sandbox without a server');
  say('  node bin/stackops.js stack env set --help   every command has such a page');
  say('  npm pack && npm install -g stackops-*.tgz   install it, then see README.md');
}

/** Serves until the tour ends; its first output are the variables for its clients. */
async function startSandbox(speed) {
  const words = ['sandbox', 'start', '--speed', String(speed)];
  shell(`${typed(words)} &`);
  const sandbox = start(words, ['ignore', 'pipe', 'pipe']);
  const printed = await linesUntil(sandbox.stdout, /_CLIENT_SECRET=/);
  await linesUntil(sandbox.stderr, /^sandbox: serving/);
  const variables = new Map(printed.map((line) => line.replace('export ', '').split('=', 2)));
  return {
    address: variables.get('STACKOPS_BASE_URL'),
    id: variables.get('STACKOPS_CLIENT_ID'),
    secret: variables.get('STACKOPS_CLIENT_SECRET'),
  };
}

/**
 * Does the steps of a person with a browser: opens the address, reads the page, presses Accept, follows the redirect.
 */
async function signIn(clientId) {
  const words = ['auth', 'login', '--no-browser', '--client-id', clientId, '--callback-port', '0'];
  shell(typed(words));
  const login = start(words, ['ignore', 'inherit', 'pipe']);
  const ended = endOf(login, words);
  const told = await linesUntil(login.stderr, /^Waiting/);
  remark('The tour opens that address and presses Accept.');
  const address = told.find((line) => line.startsWith('http'));
  await Promise.all([ended, pressAccept(new URL(address))]);
}

async function pressAccept(address) {
  const page = await bodyOf(await fetch(address));
  const [, action] = found(/<form [^>]*action="([^"]*)"/, page);
  const [, request] = found(/name="request" value="([^"]*)"/, page);
  const [, decision] = found(/name="decision" value="(accept)"/, page);
  const body = new URLSearchParams({ request, decision });
  const answer = await fetch(new URL(action, address), { method: 'POST', body, redirect: 'manual' });
  const back = answer.headers.get('location');
  if (!back) throw new Error(`the consent page answered ${answer.status} without a redirect`);
  await bodyOf(await fetch(back));
}

async function bodyOf(response) {
  const body = await response.text();
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}`);
  return body;
}

function found(pattern, where) {
  const match = pattern.exec(where);
  if (!match) throw new Error(`${pattern} is not in:\n${where}`);
  return match;
}

/** Shows and runs one command. */
async function stackops(...words) {
  shell(typed(words));
  await endOf(start(words, ['ignore', 'inherit', 1]), words);
}

/** Reads a list silently until its newest row meets the condition; returns that row. */
async function settled(words, isSo) {
  for (let tries = 0; tries < 100; tries++) {
    const child = start([...words, '--limit', '1', '--json'], ['ignore', 'pipe', 'inherit']);
    const [json] = await Promise.all([readAll(child.stdout), endOf(child, words)]);
    const [row] = JSON.parse(json);
    if (isSo(row)) return row;
    await setTimeout(50);
  }
  throw new Error(`${typed(words)} did not finish in time`);
}

function start(words, stdio) {
  const child = spawn(process.execPath, [bin, ...words], { env, stdio });
  running.add(child);
  child.once('close', () => running.delete(child));
  return child;
}

async function endOf(child, words) {
  const [code, signal] = await once(child, 'close');
  if (code !== 0) throw new Error(`${typed(words)} ended with ${code ?? signal}`);
}

/** Prints the lines of a stream; resolves with the lines up to the first that matches. */
function linesUntil(stream, pattern) {
  const seen = [];
  return new Promise((resolve, reject) => {
    const lines = createInterface({ input: stream });
    lines.on('line', (line) => {
      say(line);
      seen.push(line);
      if (pattern.test(line)) resolve(seen);
    });
    lines.once('close', () => reject(new Error(`a program ended without printing ${pattern}`)));
  });
}

/** An environment without the settings of this machine. */
function ownEnvironment() {
  const disturbing = /^(NODE_.*|STACKOPS_.*|XDG_.*|(https?|all|no)_proxy)$/i;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !disturbing.test(name)));
}

function cleanUp() {
  for (const child of running) child.kill();
  rmSync(home, { recursive: true, force: true });
}

function typed(words) {
  return ['stackops', ...words].map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word}'`)).join(' ');
}

function say(line) {
  process.stdout.write(`${line}\n`);
}

function title(line) {
  say(`\n${styled(line, 1)}`);
}

function shell(line) {
  say(`\n${styled(`$ ${line}`, 36)}`);
}

function remark(line) {
  say(styled(`# ${line}`, 2));
}

function styled(line, code) {
  return colourful ? `\u001b[${code}m${line}\u001b[0m` : line;
}
