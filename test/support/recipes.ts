import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type Ended, type Environment, follow, skipSleep } from './built.ts';
import type { Installed } from './packaging.ts';
import { startSandbox, type TestSandbox, type TestSandboxOptions } from './sandbox.ts';
import { temporaryFolder } from './stackops.ts';

const root = join(import.meta.dirname, '../..');
const guide = readFileSync(join(root, 'docs/ci.md'), 'utf8');

/** The one block of docs/ci.md in this language that holds the words. */
export function recipe(language: string, words: string): string {
  const fenced = guide.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'));
  const found = [...fenced].map(([, text = '']) => text).filter((text) => text.includes(words));
  expect(found, `${language}: ${words}`).toHaveLength(1);
  return found[0] ?? '';
}

export interface TargetKind extends TestSandbox {
  readonly folder: string;
  readonly env: Environment;
  /** Writes that arrived: `POST /stacks/…/deployments`. */
  changes(): readonly string[];
  /** Puts a program in front of all others. */
  provide(name: string, script: string): void;
  /** Runs words in the folder, with pipes for what it shows, nothing on stdin and no terminal anywhere. */
  run(words: readonly string[], more?: Environment): Promise<Ended>;
}

export interface RecipeOptions extends TestSandboxOptions {
  /** Whether nothing ever ends at the service. */
  readonly stuck?: boolean;
}

/** A machine on which only the tool is installed, and a service in whose view a minute passes between two requests. */
export async function place({ prefix }: Installed, { stuck, ...options }: RecipeOptions = {}): Promise<TargetKind> {
  let nowMs = Date.parse('2026-05-04T12:00:00Z');
  const now = () => {
    nowMs += stuck ? 0 : 60_000;
    return new Date(nowMs);
  };
  const sandbox = await startSandbox({ now, ...options });
  const folder = temporaryFolder();
  const own = join(folder, 'bin');
  mkdirSync(own);
  const env = {
    PATH: `${own}:${prefix}/bin:${process.env['PATH'] ?? ''}`,
    HOME: folder,
    CI: 'true',
    ...skipSleep,
    ...sandbox.env,
    STACKOPS_STACK: 'shop',
  };
  return {
    ...sandbox,
    folder,
    env,
    changes: () =>
      sandbox.requests.filter(({ method }) => method !== 'GET').map(({ method, path }) => `${method} ${path}`),
    provide: (name, script) => {
      writeFileSync(join(own, name), script);
      chmodSync(join(own, name), 0o755);
    },
    run: async (words, more = {}) => {
      const ended = await follow(['setsid', '--wait', 'env', '-C', folder, ...words], { env: { ...env, ...more } })
        .ended;
      // Colour, a spinner and a cursor that is moved need escape sequences or carriage returns.
      expect(ended.stdout + ended.stderr).not.toMatch(/[\x1b\r\x08]|\[y\/N\]|to confirm:/);
      return ended;
    },
  };
}
