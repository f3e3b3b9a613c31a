import { placeholder } from '../../contract/values/text.ts';
import { flagsOf } from './arguments.ts';
import type { TypedCommand } from './options.ts';

/**
 * A command line as records and hints may keep it: what is set to a value may be a secret. `open` are words as they were
 * typed whose values are none.
 */
export function withoutValues(argv: readonly string[], open: readonly string[] = []): readonly string[] {
  const cut = argv.indexOf('--');
  return argv.map((word, index) => {
    const isFlag = cut < 0 || index < cut;
    const [, flag = '', bare = word] = (isFlag && /^(--[\w-]+=)(.*)$/s.exec(word)) || [];
    return open.includes(bare) ? word : `${flag}${withoutValue(bare)}`;
  });
}

/** Arguments of fields whose values are not secret. */
export function openArguments({ command, words, flags }: TypedCommand): readonly string[] {
  const isWord = command.positionals.some((name) => command.params[name].repeats);
  const values = flagsOf(command).flatMap(({ long, field }) => (field.repeats ? (flags[long] ?? []) : []));
  return [...(isWord ? words : []), ...values.map(String)];
}

/** Whatever the name looks like: services allow more than shells do. */
export function withoutValue(word: string): string {
  return (
    word
      // The query of an address may be a signature, and a name in front of its host comes with a password.
      .replace(/^(\w+:\/\/)[^/?#]*@/, `$1${placeholder}@`)
      .replace(/^(\w+:\/\/[^?#]*[?#]).+$/s, `$1${placeholder}`)
      .replace(/=.*$/s, `=${placeholder}`)
  );
}
