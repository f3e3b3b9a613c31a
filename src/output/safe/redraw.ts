type Env = Readonly<Record<string, string | undefined>>;

/** Whether a terminal with these variables shows escape sequences as text. Windows never names its terminal. */
export function isDumb(env: Env): boolean {
  const { TERM: name, OS: system } = env;
  return name === 'dumb' || (!name && system !== 'Windows_NT');
}

/** The least columns in which a spinner and one letter fit into a line. */
const leastWidth = 4;

/** Whether a line can be drawn again and again. The terminal of a job in CI becomes a log. */
export function canRedraw({ terminal, width }: { terminal: boolean; width: number }, env: Env): boolean {
  return terminal && width >= leastWidth && !isDumb(env) && !env['CI'];
}
