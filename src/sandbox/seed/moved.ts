import { fileStamp, offsetStamp, plainStamp, stamp } from './made-up.ts';

/** The service's three spellings of a moment, and the one in names of files. */
const moments = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(Z|\+0000| UTC)|(?<=_)\d{8}_\d{6}(?=")/g;

/** Copies plain JSON data with every time moved by this many milliseconds, keeping its spelling. */
export function movedBy<T>(ms: number, value: T): T {
  return JSON.parse(JSON.stringify(value).replaceAll(moments, (text) => respelled(text, ms)));
}

function respelled(text: string, ms: number): string {
  if (text.endsWith('Z')) return stamp(Date.parse(text) + ms);
  if (text.endsWith('+0000')) return offsetStamp(Date.parse(text) + ms);
  if (text.endsWith('UTC')) return plainStamp(Date.parse(text) + ms);
  const iso = text.replace(/(....)(..)(..)_(..)(..)(..)/, '$1-$2-$3T$4:$5:$6Z');
  return fileStamp(Date.parse(iso) + ms);
}
