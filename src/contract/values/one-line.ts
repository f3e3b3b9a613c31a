/** A text of somebody else as one line of a message; what is longer ends with `…`. */
export function oneLine(text: string, most?: number): string {
  return shortened(text.replace(/\s+/g, ' ').trim(), most);
}

/** The text, or the beginning of one that is longer, with `…` behind it. */
export function shortened(text: string, most = Number.POSITIVE_INFINITY): string {
  return text.length > most ? `${text.slice(0, most - 1).toWellFormed()}…` : text;
}
