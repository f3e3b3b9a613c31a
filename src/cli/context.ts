import { type Audience, type Command, type Confirm, type Context, inputWrites } from '../contract/command.ts';
import { writes } from '../contract/operation.ts';
import { sampleReply } from '../contract/sample.ts';
import type { Progress } from '../output/progress.ts';
import type { Options } from './arguments/options.ts';
import type { Confirmation, Prompting } from './confirm.ts';
import type { DryRunRequest } from './dry-run.ts';
import type { Session, World, WriteOptions } from './world.ts';

export interface ContextParts {
  readonly world: World;
  readonly session: Session;
  readonly options: Options;
  readonly readText: World['readText'];
  readonly progress: Progress;
  /** The path of the command: `db delete`. */
  readonly label: string;
  /** What the command asks before it acts. */
  readonly asks: Confirm | null;
  readonly limit: number | undefined;
  /** The rows that --where keeps. */
  readonly matching: Context['matching'];
  /** Who reads the output. */
  readonly audience: Audience;
  /** Lines for stderr. */
  readonly say: (kind: 'note' | 'warning', line: string) => void;
  /** Requests that --dry-run prints instead of sending. */
  readonly unsent: DryRunRequest[];
  /** How changes are made and watched. */
  readonly writeOptions: WriteOptions;
}

/** What a command may touch during one run. */
export function createContext(parts: ContextParts, place: Session['place']): Context {
  const { world, session, options, progress, say } = parts;
  const dryRun = Boolean(options.dryRun || options.curl);
  return {
    dryRun,
    wait: parts.writeOptions.wait,
    audience: parts.audience,
    command: parts.label,
    reveal: options.reveal ?? false,
    keepGoing: options.keepGoing ?? false,
    limit: parts.limit,
    matching: parts.matching,
    now: world.now,
    elapsed: world.elapsed,
    deadline: world.deadline,
    reference: world.reference,
    quote: world.redactor.quote,
    slowdown: session.slowdown,
    readText: parts.readText,
    note: (line) => {
      if (!options.quiet) say('note', line);
    },
    warn: (line) => say('warning', line),
    place: (field) => place(field, undefined, {}),
    confirm: async (question) => {
      if (!dryRun && parts.asks)
        await ask({ ...question, act: parts.asks.act, level: question.level ?? parts.asks.level }, parts);
    },
    follow: (watch) => session.changes.follow(watch, parts.writeOptions),
    eachPage: (operation, input, take, more) =>
      progress.during(parts.label, () =>
        session.eachPage(operation, input, (rows) => withoutProgress(progress, () => take(rows)), more),
      ),
    call: async (operation, input, more) => {
      // `stackops api` prints any request with --dry-run, also one that reads.
      if (!dryRun || !(writes(operation) || operation.sends === 'raw')) {
        if (writes(operation)) {
          const { observer, replaces, wait = parts.writeOptions.wait } = more ?? {};
          return session.changes.write(operation, input, { ...parts.writeOptions, wait, observer, replaces });
        }
        return progress.during(parts.label, () => session.call(operation, input, more));
      }
      const request = session.toRequest(operation, input);
      parts.unsent.push({ request, baseUrl: session.baseUrl(), needsToken: operation.scope !== 'none' });
      return sampleReply(operation.reply);
    },
  };
}

/** Hides the progress line while something else is written to the terminal. */
async function withoutProgress<Value>(progress: Progress, work: () => Promise<Value>): Promise<Value> {
  progress.pause();
  try {
    return await work();
  } finally {
    progress.resume();
  }
}

/** How a person is asked; the progress line is hidden meanwhile. */
export function promptingOf({ world: { ask, env }, label, options, progress }: ContextParts): Prompting {
  return {
    label,
    options,
    ask: ask && ((question) => withoutProgress(progress, () => ask(question))),
    whyNoPrompt: whyNoPrompt(options, env),
  };
}

function whyNoPrompt({ input }: Options, env: World['env']): string {
  if (input === false) return '--no-input';
  const variable = ['STACKOPS_NO_INPUT', 'CI'].find((name) => env[name]);
  return variable === undefined ? 'no terminal' : `${variable} is set`;
}

/** Asks before any change at the service that is made with a protected profile. */
export async function confirmProtected(
  command: Command,
  input: Readonly<Record<string, unknown>>,
  parts: ContextParts,
): Promise<void> {
  const { options, session } = parts;
  const isSent = inputWrites(command, input) && !options.dryRun && !options.curl;
  if (isSent && isProtected(session)) await ask(protectedConfirmation(input, parts), parts);
}

export function isProtected({ settings }: Session): boolean {
  return settings.get('protected').value === 'true';
}

/** Any change with a protected profile is confirmed by the profile's name. */
export function protectedConfirmation(
  { stack_id }: Readonly<Record<string, unknown>>,
  parts: ContextParts,
): Confirmation {
  const { session, label } = parts;
  return {
    level: 'typed',
    because: 'protected profile',
    act: `Run "${label}" with the protected profile`,
    name: session.settings.profile,
    facts: async () => (typeof stack_id === 'string' ? [`stack ${await session.describeStack(stack_id)}`] : []),
  };
}

async function ask(change: Confirmation, parts: ContextParts): Promise<void> {
  const { confirm } = await import('./confirm.ts');
  await confirm(change, promptingOf(parts));
}
