/** How an error ends that stopped a change; the transcripts pin it, other tests take it from here. */
export const unchanged = '; nothing was changed';
export const unsent = '; nothing was sent';
/** What stderr of a command with a sandbox begins with. */
export const mark = 'sandbox: nothing here is real\n';
