/** True for a pattern of names: `*` matches any text, `?` one character. */
export function isPattern(text: string): boolean {
  return /[*?]/.test(text);
}

/** Matches the whole name. A regular expression could take exponential time for `*a*a*a*b`. */
export function matchesPattern(name: string, pattern: string): boolean {
  const [text, parts] = [[...name], [...pattern]];
  let [at, next, star, from] = [0, 0, -1, 0];
  while (at < text.length) {
    if (parts[next] === '*') {
      star = next++;
      from = at;
    } else if (parts[next] === '?' || parts[next] === text[at]) {
      at++;
      next++;
    } else if (star >= 0) {
      next = star + 1;
      at = ++from;
    } else return false;
  }
  return parts.slice(next).every((one) => one === '*');
}
