/** Those that a job or a coding agent sets. People set CODEX_HOME and CODEX_API_KEY themselves. */
const marks =
  /^(STACKOPS_NO_INPUT|CI|AI_AGENT|AGENT|CLAUDECODE|CODEX_(?!HOME$|API_KEY$)\w+|CURSOR_AGENT|GEMINI_CLI|OPENCODE)$/;

/** The variable that says nobody would answer a question, even at a terminal. */
export function unattendedBy(env: Readonly<Record<string, string | undefined>>): string | undefined {
  return Object.keys(env).find((name) => env[name] && marks.test(name));
}
