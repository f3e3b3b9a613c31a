import type { CommandLine } from './command-line.ts';
import type { Input } from './field.ts';
import type { Operation } from './operation.ts';

/**
 * The command that shows whether a write took effect, such as `variant list` in its stack; undefined if there is none.
 */
export function checkCommand({ check }: Operation, input: Input): CommandLine | undefined {
  return filled(check, input);
}

/** The command that lists the resources among which one was not found: `variant list` in its stack. */
export function listCommand({ lister }: Operation, input: Input): CommandLine | undefined {
  return filled(lister, input);
}

const places: Readonly<Record<string, 'stack_id' | 'server_group_id' | 'account_id'>> = {
  '-s': 'stack_id',
  '-g': 'server_group_id',
  '-a': 'account_id',
};

/** `deployment {deployment_id}` with what the operation was called with. */
export function fillTemplate(template: string, input: Input): string {
  return template.replace(/\{([a-z_]+)\}/g, (_, name: string) => String(input[name]));
}

/** `deployment get {deployment_id} -s {stack_id}` with what the operation was called with. */
function filled(template: string | undefined, input: Input): CommandLine | undefined {
  if (template === undefined) return undefined;
  const words = template.split(' ');
  const fill = (word: string) => fillTemplate(word, input);
  const placed = words.flatMap((word, at) => {
    const place = places[word];
    return place ? [[place, fill(words[at + 1] ?? '')] as const] : [];
  });
  const plain = words.slice(0, words.length - placed.length * 2);
  const isOperand = (word: string) => word.includes('{') || word.includes('/');
  const operands = plain.filter(isOperand).map(fill);
  return {
    path: plain.filter((word) => !isOperand(word)).join(' '),
    ...(operands.length > 0 && { operands }),
    ...Object.fromEntries(placed),
  };
}
