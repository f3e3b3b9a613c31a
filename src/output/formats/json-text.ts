import { JsonFault } from '../../json/fault.ts';
import { readJson } from '../../json/read.ts';

/**
 * The value of a JSON text that goes out as it is, to be shown with all its digits; the text itself where the strict
 * reader would leave something out, such as the first of two members of one name.
 */
export async function shownJson(text: string): Promise<unknown> {
  try {
    return await readJson(text);
  } catch (error) {
    if (error instanceof JsonFault) return text;
    throw error;
  }
}
