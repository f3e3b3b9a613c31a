import { type GlobalOption, globalOptions, longSpelling } from '../cli/words/options.ts';
import type { CommandDescription, OptionDescription } from '../contract/description.ts';
import { flagMacros, longFlags, paragraph, tagList } from './mdoc.ts';

interface Chapter {
  readonly title: string;
  readonly of: readonly GlobalOption['where'][];
}

const chapters: readonly Chapter[] = [
  { title: 'WHERE A COMMAND ACTS', of: ['place'] },
  { title: 'OUTPUT OPTIONS', of: ['output', 'list', 'row', 'secret'] },
  { title: 'OPTIONS OF CHANGES', of: ['write'] },
  { title: 'WAITING', of: ['wait'] },
  { title: 'SEVERAL CHANGES', of: ['several'] },
];

/** The options that several commands share, each explained once on a page, and only those that one of its commands takes. */
export function sharedSections(commands: readonly CommandDescription[]): readonly string[] {
  const taken = new Set(commands.flatMap(sharedOptions));
  return chapters.flatMap(({ title, of }) => {
    const options = globalOptions.filter((option) => of.includes(option.where) && taken.has(longSpelling(option)));
    if (options.length === 0) return [];
    return [`.Sh ${title}`, ...tagList(options.map((option) => [flagMacros(option.flags), aboutOf(option, taken)]))];
  });
}

/** The line of a command that names what is explained in those sections. */
export function sharedLine(command: CommandDescription): readonly string[] {
  const shared = sharedOptions(command);
  return shared.length === 0 ? [] : ['.Pp', ...paragraph('Takes, as explained below:'), ...longFlags(shared)];
}

function sharedOptions({ places, options }: CommandDescription): readonly string[] {
  return [...places.map(longSpelling), ...options];
}

function aboutOf(option: OptionDescription, taken: ReadonlySet<string>): string {
  const isPlural = longSpelling(option) === '--stack' && taken.has('--stacks-file');
  return isPlural ? `${option.about} Commands that take --stacks-file take several with commas.` : option.about;
}
