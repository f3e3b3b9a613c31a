import { type CommandLine, fillTemplate } from '../../contract/command-line.ts';
import type { Input } from '../../contract/field.ts';
import { type Operation, writes } from '../../contract/operation.ts';

/** Returns the title of a stack that is known to exist: found by name, or answered before. Undefined for any other. */
export type StackTitle = (uid: string) => string | undefined;

/**
 * `deployment 999` in `shop/production`. `what` is absent when the target exists and the path names nothing in it by
 * ID.
 */
export type Missing = { readonly what?: string | undefined; readonly where?: string | undefined };

/** Returns the resource that a 404 is about; undefined when only the path shows it. */
export function missingIn(operation: Operation, input: Input, titleOf: StackTitle): Missing | undefined {
  if (operation.sends === 'raw') return undefined;
  const [group, stack, account] = targetsIn(operation, input);
  const title = stack === undefined ? undefined : titleOf(stack);
  const targets = [
    ...(group === undefined ? [] : [`server group ${group}`]),
    ...(stack === undefined ? [] : [title ?? `stack ${stack}`]),
    ...(account === undefined ? [] : [`account ${account}`]),
  ];
  if (operation.missing !== undefined) return { what: fillTemplate(operation.missing, input), where: inside(targets) };
  if (targets.length === 0) return undefined;
  // The body of a write may name other resources.
  if (writes(operation) || targets[0] === title) return { where: inside(targets) };
  return { what: targets[0], where: inside(targets.slice(1)) };
}

export function namedStack(operation: Operation, input: Input): string | undefined {
  return targetsIn(operation, input)[1];
}

/** The list to suggest when the operation declares none: a stack named by UID may not exist. */
export function stackLister(operation: Operation, input: Input, titleOf: StackTitle): CommandLine | undefined {
  if (operation.missing !== undefined || operation.sends === 'raw') return undefined;
  const stack = namedStack(operation, input);
  return stack !== undefined && titleOf(stack) === undefined ? { path: 'stack list' } : undefined;
}

function targetsIn({ params }: Operation, input: Input): readonly (string | undefined)[] {
  return (['server-group', 'stack', 'account'] as const).map((target) => {
    const name = Object.keys(params).find((key) => params[key].target === target) ?? '';
    return input[name] === undefined ? undefined : String(input[name]);
  });
}

function inside(targets: readonly string[]): string | undefined {
  return targets.join(' of ') || undefined;
}

/** `deployment 999 not found in shop/production`. */
export function notFoundMessage({ what, where }: Missing): string {
  return [what, 'not found', where && `in ${where}`].filter(Boolean).join(' ');
}

const fillerText =
  'a an the is was be does do no not there this with for of in id error found find could exist record resource';
const fillers = new Set(fillerText.split(' '));

/** True when the service's text tells more than that the resource was not found. */
export function addsTo(sentence: string, text: string): boolean {
  const known = wordsOf(sentence);
  return wordsOf(text).some((word) => !fillers.has(word) && !known.includes(word));
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
