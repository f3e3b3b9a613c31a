type Env = Readonly<Record<string, string | undefined>>;

/** True if a terminal with these variables shows escape sequences as text. Windows sets no TERM. */
export function isDumb(env: Env): boolean {
  const { TERM: name, OS: system } = env;
  return name === 'dumb' || (!name && system !== 'Windows_NT');
}

/** The width of a spinner and one letter. */
const leastWidth = 4;

/** True if a line can be redrawn. In CI a terminal is only a log. */
export function canRedraw({ terminal, width }: { terminal: boolean; width: number }, env: Env): boolean {
  return terminal && width >= leastWidth && !isDumb(env) && !env['CI'];
}
