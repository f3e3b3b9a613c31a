import { type Flag, flagsOf } from '../cli/arguments/arguments.ts';
import { type GlobalOption, globalOptions, longSpelling, spellings } from '../cli/arguments/options.ts';
import type { Command } from '../contract/command.ts';
import { type Slot, slotOf } from './slot.ts';

/** A flag of a command or a global flag. */
export interface LineOption {
  /** `['-s', '--stack']` */
  readonly spellings: readonly string[];
  /** Its long spelling. */
  readonly long: string;
  readonly about: string;
  readonly takesValue: boolean;
  readonly isRepeatable: boolean;
  readonly slot: Slot;
}

const helpOption: LineOption = {
  spellings: ['-h', '--help'],
  long: '--help',
  about: 'Show help.',
  takesValue: false,
  isRepeatable: false,
  slot: {},
};

/** The values of global flags that are not settings. */
const globalSlots: Readonly<Record<string, Slot>> = {
  '--stack': { names: 'stack', isList: true },
  '--server-group': { names: 'server group' },
  '--account': { names: 'account' },
  '--profile': { names: 'profile' },
  '--fields': { fields: 'fields', isList: true },
  '--columns': { fields: 'columns', isList: true },
  '--where': { fields: 'columns', values: [] },
  '--sort': { fields: 'sort' },
};

/** All flags of a command; for a group, the global flags. */
export function lineOptions(command: Command | undefined): readonly LineOption[] {
  return [...(command ? flagsOf(command).map(fromFlag) : []), ...globalOptions.map(fromGlobal), helpOption];
}

function fromFlag({ flags, long, about, field, via }: Flag): LineOption {
  return {
    spellings: spellings(flags),
    long,
    about,
    takesValue: via === 'value' || via === 'file',
    isRepeatable: field.kind === 'many',
    slot: via === 'file' ? { names: 'file' } : slotOf(field, true),
  };
}

function fromGlobal(option: GlobalOption): LineOption {
  const { flags, about } = option;
  const long = longSpelling(option);
  return {
    spellings: spellings(flags),
    long,
    about,
    takesValue: flags.includes('<'),
    isRepeatable: option.isRepeatable ?? false,
    slot: flags.endsWith('<file>') ? { names: 'file' } : (globalSlots[long] ?? { flagOfSetting: long }),
  };
}
