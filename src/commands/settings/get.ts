import type { Command } from '../../contract/command.ts';
import type { Fields } from '../../contract/field.ts';
import type { Noun } from '../../contract/noun.ts';
import type { Operation } from '../../contract/operation.ts';
import { findAmong, findPlace, readAll } from '../../kinds/resource/find.ts';
import { placeArguments, placeLists, placeParams } from '../../kinds/resource/params.ts';
import { script } from '../../kinds/script.ts';
import { Problem } from '../../problems/problem.ts';
import { settingId, settingText } from '../../resources/setting.ts';

/** Prints the value of one setting. A token without access to the list may still read a single one. */
export function getSetting(noun: Noun, get: Operation, spec: Pick<Command, 'about' | 'examples'>): Command {
  return script({
    ...spec,
    params: { ...placeParams(noun), key: noun.argumentField } as Fields,
    positionals: [...placeArguments(noun), 'key'],
    calls: [...placeLists(noun), noun.list, get],
    output: { kind: 'value', reply: get.reply },
    run: async (context, input) => {
      const place = await findPlace(context, noun, input);
      const key = String(input['key']);
      try {
        return findAmong(noun, await readAll(context, noun, place), key, place);
      } catch (error) {
        if (!(error instanceof Problem) || error.details.status !== 403) throw error;
        return context.call(get, { ...place, id: settingId({ key }) });
      }
    },
    // Text is printed unchanged, anything else as JSON.
    present: ({ value }) => ({ kind: 'value', text: settingText(value) }),
  });
}
