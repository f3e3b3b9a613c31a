import { readFileSync } from 'node:fs';

/** Files in completions/ and the skill are imported as text. */
export const textFiles = {
  name: 'text-files',
  load: {
    filter: { id: /[\\/](completions[\\/][\w.]+|skills[\\/]stackops[\\/]SKILL\.md)$/ },
    handler: (id) => ({ code: `export const text = ${JSON.stringify(readFileSync(id, 'utf8'))};`, moduleType: 'js' }),
  },
};
