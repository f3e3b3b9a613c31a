import { readFileSync } from 'node:fs';

/** Files in completions/, the skill, lists of words and help topics are imported as text. */
export const textFiles = {
  name: 'text-files',
  // Vite would take a .txt file for an asset.
  enforce: 'pre',
  load: {
    filter: { id: /[\\/](completions[\\/][\w.]+|skills[\\/]stackops[\\/]SKILL\.md|(words|topics)[\\/][\w-]+\.txt)$/ },
    handler: (id) => ({ code: `export const text = ${JSON.stringify(readFileSync(id, 'utf8'))};`, moduleType: 'js' }),
  },
};
