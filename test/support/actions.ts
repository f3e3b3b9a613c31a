import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { parse } from 'yaml';
import { type Ended, type Environment, follow, type Running } from './built.ts';
import type { TargetKind } from './recipes.ts';

const root = join(import.meta.dirname, '../..');

interface Described {
  readonly description: string;
}

/** An `action.yml`. */
export interface Action {
  readonly name: string;
  readonly description: string;
  readonly inputs: Readonly<Record<string, Described & { readonly default: string }>>;
  readonly outputs?: Readonly<Record<string, Described & { readonly value: string }>>;
  readonly runs: {
    readonly using: string;
    readonly steps: readonly {
      readonly name: string;
      readonly id?: string;
      readonly shell: string;
      readonly env: Environment;
      readonly run: string;
    }[];
  };
}

export function readAction(name: string): Action {
  return parse(readFileSync(join(root, 'packaging/actions', name, 'action.yml'), 'utf8'));
}

export interface ActionRun {
  /** While it runs: what it says, and signals to the one process that a runner tells. */
  readonly running: Running;
  readonly ended: Promise<
    Ended & {
      readonly outputs: Readonly<Record<string, string>>;
      readonly summary: string;
      /** What the steps that follow find in front of PATH. */
      readonly path: string;
    }
  >;
}

/** Runs an action of one step as a runner does: its inputs as the environment, and files for what it hands over. */
export function startAction(
  name: string,
  at: TargetKind,
  { inputs = {}, env = {} }: { readonly inputs?: Environment; readonly env?: Environment } = {},
): ActionRun {
  const action = readAction(name);
  const [step] = action.runs.steps;
  const context = new Map([['github.sha', env['GITHUB_SHA'] ?? '']]);
  for (const [input, { default: preset }] of Object.entries(action.inputs)) {
    context.set(`inputs.${input}`, inputs[input] ?? filled(preset, context));
  }
  const files = join(at.folder, 'runner');
  mkdirSync(files);
  const file = (kind: string) => join(files, kind);
  writeFileSync(file('step.sh'), step?.run ?? '');
  const given = {
    ...at.env,
    ...env,
    ...Object.fromEntries(Object.entries(step?.env ?? {}).map(([key, text]) => [key, filled(text, context)])),
    GITHUB_ACTION_PATH: join(root, 'packaging/actions', name),
    GITHUB_OUTPUT: file('output'),
    GITHUB_STEP_SUMMARY: file('summary'),
    GITHUB_PATH: file('path'),
    RUNNER_TEMP: files,
  };
  const running = follow(['bash', '--noprofile', '--norc', '-eo', 'pipefail', file('step.sh')], { env: given });
  const handedOver = (kind: string) => (existsSync(file(kind)) ? readFileSync(file(kind), 'utf8') : '');
  return {
    running,
    ended: running.ended.then((ended) => {
      const lines = handedOver('output').trimEnd().split('\n').filter(Boolean);
      const set = new Map(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
      const outputs = Object.entries(action.outputs ?? {}).map(([output, { value }]) => {
        const [, key = ''] = new RegExp(`^\\$\\{\\{ steps\\.${step?.id}\\.outputs\\.(\\w+) \\}\\}$`).exec(value) ?? [];
        return [output, set.get(key) ?? ''];
      });
      return {
        ...ended,
        outputs: Object.fromEntries(outputs),
        summary: handedOver('summary'),
        path: handedOver('path'),
      };
    }),
  };
}

/** A text in which expressions are what they mean. */
function filled(text: string, context: ReadonlyMap<string, string>): string {
  return text.replaceAll(
    /\$\{\{ ([\w.-]+) \}\}/g,
    (_, key: string) => context.get(key) ?? expect.fail(`unknown ${key}`),
  );
}
