import type { App, ErrorFormat } from './app.ts';
import { wordsBeforeDashes } from './arguments/options.ts';
import { readInvocation, withoutAlias } from './arguments/read-line.ts';

/** Runs one command line and returns its exit code. Never throws; a bug is reported as `internal`. */
export async function runStackops(words: readonly string[], app: App): Promise<number> {
  const argv = withoutAlias(words, app.topLevel);
  const { call } = app;
  const errorFormat: ErrorFormat = { json: call !== undefined || wantsJson(argv, app.err.terminal) };
  try {
    const typedLine = await readInvocation(argv, app);
    const invocation = call ? await app.admit(typedLine, call) : typedLine;
    if (invocation.kind === 'text') await printPage(invocation.text, app);
    else await (await import('./run.ts')).runCommand(invocation, app, errorFormat, typedLine);
    return 0;
  } catch (error) {
    const { reportError } = await import('./report.ts');
    return reportError(error, argv, app, errorFormat.json);
  }
}

function printPage(text: string, { out, styledPage }: App): Promise<void> {
  return out.terminal && styledPage ? out.drawn(styledPage(text)) : out.data(text);
}

function wantsJson(argv: readonly string[], isTerminal: boolean): boolean {
  const words = wordsBeforeDashes(argv);
  // On a terminal an error is text unless --json was typed.
  if (isTerminal) return words.includes('--json');
  return words.some((word, at) => {
    const format = words[at - 1] === '--output' ? word : /^--output=(.*)$/s.exec(word)?.[1];
    return /^--(json|jq)$|^--jq=/.test(word) || format === 'json' || format === 'ndjson';
  });
}
