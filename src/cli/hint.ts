import { shellWord, veiledShellWord, withFlags } from '../contract/shell-word.ts';
import { Problem, type ProblemDetails } from '../problems/problem.ts';
import { globalOptions, type Options, spellings } from './options.ts';
import { withoutValues } from './words.ts';

export interface Typing {
  /** All words after the name of the program. */
  readonly argv: readonly string[];
  readonly options: Options;
  /** `name=value` words that are fit to be repeated; a variable's value is not. */
  readonly open: readonly string[];
}

type Replacement = NonNullable<ProblemDetails['instead']>;

/** The same problem with a hint that works as printed: the typed command mended, or another one at the same service. */
export function completeHint(problem: Problem, typing: Typing): Problem {
  const { hint, again, instead, without, facts, ...details } = problem.details;
  const left = (without ?? []).reduce<Typing | undefined>(leftOut, typing);
  const complete = (again ?? without) === undefined || !left ? undefined : commandAgain(left, again);
  const mended = instead && commandWith(typing, instead);
  const shown = complete ?? mended ?? (hint === undefined ? undefined : atSameService(hint, typing.options));
  const check = facts?.['check'];
  const kept = typeof check === 'string' ? { ...facts, check: atSameService(check, typing.options) } : facts;
  return new Problem(problem.kind, problem.message, {
    ...details,
    ...(shown !== undefined && { hint: shown }),
    ...(kept && { facts: kept }),
  });
}

/** The command as typed with more flags, which must stand before `--`. */
function commandAgain({ argv, open }: Typing, flags?: string): string {
  const cut = endOfFlags(argv);
  const shown = withoutValues(argv, open).map(veiledShellWord);
  return ['stackops', ...shown.slice(0, cut), ...(flags === undefined ? [] : [flags]), ...shown.slice(cut)].join(' ');
}

function endOfFlags(argv: readonly string[]): number {
  const cut = argv.indexOf('--');
  return cut < 0 ? argv.length : cut;
}

/** The same typing without a flag that every command knows, and its value; undefined where it does not stand alone, as in `-qn`. */
function leftOut(typing: Typing | undefined, long: string): Typing | undefined {
  const option = globalOptions.find(({ flags }) => spellings(flags).includes(long));
  if (!option || !typing) return undefined;
  const { argv } = typing;
  const known = spellings(option.flags);
  const takesValue = option.flags.includes('<');
  const isJoined = (word: string) =>
    takesValue && known.some((spelling) => word.startsWith(spelling.startsWith('--') ? `${spelling}=` : spelling));
  const end = endOfFlags(argv);
  const kept = argv.filter((word, index) => {
    if (index >= end) return true;
    const isValue = takesValue && known.includes(argv[index - 1] ?? '');
    return !(isValue || known.includes(word) || isJoined(word));
  });
  return kept.length === argv.length ? undefined : { ...typing, argv: kept };
}

function commandWith({ argv, open }: Typing, { word, by }: Replacement): string | undefined {
  const behindFlag = argv.findIndex(
    (other, index) => other === word && ['-s', '--stack'].includes(argv[index - 1] ?? ''),
  );
  // The name behind --confirm was typed to agree, and stays true of the thing once its id is given.
  const typed = argv.findLastIndex((other, index) => other === word && argv[index - 1] !== '--confirm');
  const at = behindFlag < 0 ? typed : behindFlag;
  if (at < 0) return undefined;
  return mendedCommand(argv, at, by, open.includes(word) ? [...open, by] : open);
}

/** The command as typed with one word, named by itself or by its place, replaced by another or by several. */
export function mendedCommand(
  argv: readonly string[],
  word: string | number,
  by: string | readonly string[],
  open: readonly string[] = [],
): string {
  const at = typeof word === 'number' ? word : argv.indexOf(word);
  return ['stackops', ...withoutValues(argv.toSpliced(at, 1, ...[by].flat()), open).map(veiledShellWord)].join(' ');
}

/** Other commands are to be run against the same service, as the same profile. */
export function atSameService(hint: string, { sandbox, profile, baseUrl, authUrl }: Options): string {
  if (!hint.startsWith('stackops ')) return hint;
  const given: readonly (readonly [string, string | undefined])[] = [
    ['-p', hint === 'stackops profile list' ? undefined : profile],
    ['--base-url', baseUrl],
    ['--auth-url', authUrl],
  ];
  const flags = given.flatMap(([flag, value]) => (value === undefined ? [] : [`${flag} ${shellWord(value)}`]));
  return withFlags(hint, [...(sandbox ? ['--sandbox'] : []), ...flags]);
}
