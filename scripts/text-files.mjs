import { readFileSync } from 'node:fs';

/** Files in completions/ are imported as text. */
export const textFiles = {
  name: 'text-files',
  load: {
    filter: { id: /[\\/]completions[\\/][\w.]+$/ },
    handler: (id) => ({ code: `export const text = ${JSON.stringify(readFileSync(id, 'utf8'))};`, moduleType: 'js' }),
  },
};
