import { Agent, request } from 'undici';

/** A minimal undici script: `undici-list.mjs URL` prints the names of all pages. */
const url = process.argv[2];
const dispatcher = new Agent({ connections: 8 });
const first = await read(1);
const rest = Array.from({ length: first.pagination.pages - 1 }, (_, index) => index + 2);
const pages = [first, ...(await Promise.all(rest.map(read)))];
console.log(pages.flatMap(({ response }) => response.map(({ name }) => name)).join('\n'));

async function read(page) {
  const { body } = await request(`${url}?page=${page}`, { dispatcher });
  return body.json();
}
