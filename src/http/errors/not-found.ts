import { type CommandLine, fillTemplate } from '../../contract/command-line.ts';
import type { Input } from '../../contract/field.ts';
import { type Operation, writes } from '../../contract/operation.ts';

/** What to call a stack that is known to exist: it was found by its name, or answered before. Undefined for any other. */
export type StackTitle = (uid: string) => string | undefined;

/** `deployment 999` in `shop/production`; no `what` where the place is known to exist and the path names nothing in it by ID. */
export type Missing = { readonly what?: string | undefined; readonly where?: string | undefined };

/** What a 404 to this call is about; undefined where only the path shows it. */
export function missingIn(operation: Operation, input: Input, titleOf: StackTitle): Missing | undefined {
  if (operation.sends === 'raw') return undefined;
  const [group, stack, account] = placesIn(operation, input);
  const title = stack === undefined ? undefined : titleOf(stack);
  const places = [
    ...(group === undefined ? [] : [`server group ${group}`]),
    ...(stack === undefined ? [] : [title ?? `stack ${stack}`]),
    ...(account === undefined ? [] : [`account ${account}`]),
  ];
  if (operation.missing !== undefined) return { what: fillTemplate(operation.missing, input), where: inside(places) };
  if (places.length === 0) return undefined;
  // A write may name more in its body.
  if (writes(operation) || places[0] === title) return { where: inside(places) };
  return { what: places[0], where: inside(places.slice(1)) };
}

export function namedStack(operation: Operation, input: Input): string | undefined {
  return placesIn(operation, input)[1];
}

/** The list to suggest when the operation declares none: a stack given by UID may not exist. */
export function stackLister(operation: Operation, input: Input, titleOf: StackTitle): CommandLine | undefined {
  if (operation.missing !== undefined || operation.sends === 'raw') return undefined;
  const stack = namedStack(operation, input);
  return stack !== undefined && titleOf(stack) === undefined ? { path: 'stack list' } : undefined;
}

function placesIn({ params }: Operation, input: Input): readonly (string | undefined)[] {
  return (['server-group', 'stack', 'account'] as const).map((target) => {
    const name = Object.keys(params).find((key) => params[key].target === target) ?? '';
    return input[name] === undefined ? undefined : String(input[name]);
  });
}

function inside(places: readonly string[]): string | undefined {
  return places.join(' of ') || undefined;
}

/** `deployment 999 not found in shop/production`. */
export function notFoundMessage({ what, where }: Missing): string {
  return [what, 'not found', where && `in ${where}`].filter(Boolean).join(' ');
}

const fillerText =
  'a an the is was be does do no not there this with for of in id error found find could exist record resource';
const fillers = new Set(fillerText.split(' '));

/** Whether the message of the service says more than that the same resource was not found. */
export function addsTo(sentence: string, text: string): boolean {
  const known = wordsOf(sentence);
  return wordsOf(text).some((word) => !fillers.has(word) && !known.includes(word));
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
