import { type RunOptions, run } from '../../support/stackops.ts';

/** What TAB offers behind a line, word for word; quotes are not read, and a line that ends with a space begins a word. */
export async function tab(line: string, options: RunOptions = {}): Promise<readonly string[]> {
  const { code, stdout, stderr } = await run(['__complete', 'fish', '--', ...line.split(' ')], options);
  if (code !== 0 || stderr !== '') throw new Error(`TAB ended with ${code} and said: ${stderr}`);
  const [kind = '', , ...candidates] = stdout.replace(/\n$/, '').split('\n');
  return kind === 'names' || kind === 'names nospace' ? candidates : [kind];
}

/** The same without what is said about them. */
export async function tabbed(line: string, options: RunOptions = {}): Promise<readonly string[]> {
  return (await tab(line, options)).map((candidate) => candidate.split('\t')[0] ?? '');
}
