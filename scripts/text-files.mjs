import { readFileSync } from 'node:fs';

/** The scripts in completions/ are imported as texts. */
export const textFiles = {
  name: 'text-files',
  load: {
    filter: { id: /[\\/]completions[\\/][\w.]+$/ },
    handler: (id) => ({ code: `export const text = ${JSON.stringify(readFileSync(id, 'utf8'))};`, moduleType: 'js' }),
  },
};
