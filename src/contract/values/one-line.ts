/** A text as one line of at most `most` characters; a cut text ends with `…`. */
export function oneLine(text: string, most?: number): string {
  return shortened(text.replace(/\s+/g, ' ').trim(), most);
}

export function shortened(text: string, most = Number.POSITIVE_INFINITY): string {
  return text.length > most ? `${text.slice(0, most - 1).toWellFormed()}…` : text;
}
