import { createWriteStream } from 'node:fs';
import { stream } from 'undici';

/** A minimal script with undici: `undici-save.mjs URL FILE` downloads a file. */
const [url, file] = process.argv.slice(2);
await stream(url, { method: 'GET' }, () => createWriteStream(file));
