import { createServer, type ServerResponse } from 'node:http';
import type { State, VariantRecord } from '../state.ts';
import { bugText, close, listen } from './server.ts';

interface HealthOptions {
  readonly port: number;
  /** The first stack with a canary is the application. */
  readonly state: State;
  /** Advances the state to the present. */
  readonly catchUp: () => void;
  /** Above this share the canary answers 500. */
  readonly failAbove?: number | undefined;
  /** Above this share the canary does not answer. */
  readonly hangAbove?: number | undefined;
}

/** Serves the application of a sandbox on 127.0.0.1: each version by its share, with its commit as X-Revision. */
export async function serveHealth(options: HealthOptions) {
  const { state, catchUp, failAbove = 100, hangAbove = 100 } = options;
  const answer = (response: ServerResponse) => {
    catchUp();
    const version = versionIn(state);
    const { percentage = 0, git_hash } = version ?? {};
    const isCanary = version?.variant_type === 'canary';
    if (isCanary && percentage > hangAbove) return;
    response.setHeader('x-revision', git_hash ?? '');
    response.statusCode = isCanary && percentage > failAbove ? 500 : 200;
    response.end(`${response.statusCode === 200 ? 'ok' : 'failing'}\n`);
  };
  const server = createServer((_, response) => {
    try {
      answer(response);
    } catch (error) {
      response.statusCode = 500;
      response.end(`${bugText(error)}\n`);
    }
  });
  const port = await listen(server, options.port);
  return { url: new URL(`http://127.0.0.1:${port}/`), close: () => close(server) };
}

function versionIn({ stacks }: State): VariantRecord | undefined {
  const isCanary = ({ variant_type }: VariantRecord) => variant_type === 'canary';
  const variants = (stacks.find((stack) => stack.variants.some(isCanary)) ?? stacks[0])?.variants ?? [];
  const canary = variants.find(isCanary);
  // Chosen with the probability of its share.
  if (canary && Math.random() * 100 < canary.percentage) return canary;
  return variants.find(({ variant_type }) => variant_type === 'active');
}
