import { longSpelling } from '../cli/arguments/options.ts';
import { optionGroups, optionsIn } from '../cli/help/option-groups.ts';
import type { CommandDescription, OptionDescription } from '../contract/description.ts';
import { flagMacros, longFlags, mdocParagraph, tagList } from './mdoc.ts';

/** The options that several commands share, each explained once on a page, and only those that one of its commands takes. */
export function sharedSections(commands: readonly CommandDescription[]): readonly string[] {
  const taken = new Set(commands.flatMap(sharedOptions));
  return optionGroups.flatMap((group) => {
    const options = optionsIn(group).filter((option) => taken.has(longSpelling(option)));
    if (options.length === 0) return [];
    return [
      `.Sh ${group.title.toUpperCase()}`,
      ...tagList(options.map((option) => [flagMacros(option.flags), aboutOf(option, commands)])),
    ];
  });
}

/** The line of a command that names what is explained in those sections. */
export function sharedLine(command: CommandDescription): readonly string[] {
  const shared = sharedOptions(command);
  return shared.length === 0 ? [] : ['.Pp', ...mdocParagraph('Shared flags, explained below:'), ...longFlags(shared)];
}

function sharedOptions({ places, options }: CommandDescription): readonly string[] {
  return [...places.map(longSpelling), ...options];
}

function aboutOf(option: OptionDescription, commands: readonly CommandDescription[]): string {
  const isPlural = longSpelling(option) === '--stack' && commands.some(({ several_stacks }) => several_stacks);
  return isPlural ? `${option.about} ${severalStacks}` : option.about;
}

const severalStacks =
  'Commands for several stacks take names with commas, @FILE (one per line, comments after #), or - for stdin.';
