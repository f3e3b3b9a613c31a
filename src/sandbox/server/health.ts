import { createServer } from 'node:http';
import type { State, VariantRecord } from '../state.ts';
import { bugText, closeServer, listen } from './server.ts';

interface ApplicationOptions {
  readonly port: number;
  /** The state. Its first stack with a canary, or else its first stack, is the served application. */
  readonly state: State;
  readonly catchUp: () => void;
  /** Share of traffic in percent above which the canary answers 500. */
  readonly failAbove?: number | undefined;
  /** Share of traffic in percent above which the canary does not answer. */
  readonly hangAbove?: number | undefined;
}

/** Plays the deployed application on 127.0.0.1: canary or active, by traffic share, with its commit in X-Revision. */
export async function serveApplication(options: ApplicationOptions) {
  const { state, catchUp, failAbove = 100, hangAbove = 100 } = options;
  const server = createServer((_, response) => {
    try {
      catchUp();
      const variant = pickVariant(state);
      const { percentage = 0, git_hash } = variant ?? {};
      const isCanary = variant?.variant_type === 'canary';
      if (isCanary && percentage > hangAbove) return;
      response.setHeader('x-revision', git_hash ?? '');
      response.statusCode = isCanary && percentage > failAbove ? 500 : 200;
      response.end(`${response.statusCode === 200 ? 'ok' : 'failing'}\n`);
    } catch (error) {
      response.statusCode = 500;
      response.end(`${bugText(error)}\n`);
    }
  });
  const port = await listen(server, options.port);
  return { url: new URL(`http://127.0.0.1:${port}/`), close: () => closeServer(server) };
}

function pickVariant({ stacks }: State): VariantRecord | undefined {
  const isCanary = ({ variant_type }: VariantRecord) => variant_type === 'canary';
  const variants = (stacks.find((stack) => stack.variants.some(isCanary)) ?? stacks[0])?.variants ?? [];
  const canary = variants.find(isCanary);
  // The canary is chosen with the probability of its share.
  if (canary && Math.random() * 100 < canary.percentage) return canary;
  return variants.find(({ variant_type }) => variant_type === 'active');
}
