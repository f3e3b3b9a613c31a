import { startSandbox } from './sandbox.ts';
import { reply, type Service, startService } from './service.ts';

/** What a thing may be called by somebody who wants a terminal to lie: another line, colours, the clipboard, text turned around. */
export const hostile = '\r\x1b[2K\x9b31m\x1b]52;c;aGk=\x07\u202e\nerror: ';

/** Names by which commands find things, and what must stay what it is. */
const kept =
  /^(uid|id|key|.*_uid|.*_id|.*_(at|iso)|change|operation|type|sub_type|variant_type|status|meaning|next|role)$/;

/** The sandbox behind a service that adds `hostile` to every text that people see. */
export async function startHostileSandbox(): Promise<Service> {
  const sandbox = await startSandbox();
  const service = await startService((seen, response) => {
    void forward(sandbox.url.href, seen).then(({ status, value }) => reply(response, spoilt(value, ''), status));
  });
  return service;
}

async function forward(base: string, seen: Service['seen'][number]): Promise<{ status: number; value: unknown }> {
  const { method, path, query, authorization = '', body } = seen;
  const answer = await fetch(`${base.replace(/\/$/, '')}${path}${query && `?${query}`}`, {
    method,
    headers: { authorization, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, value: text === '' ? {} : JSON.parse(text) };
}

function spoilt(value: unknown, name: string): unknown {
  if (typeof value === 'string') return kept.test(name) ? value : `${value}${hostile}`;
  if (Array.isArray(value)) return value.map((item) => spoilt(item, name));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([inner, item]) => [inner, spoilt(item, inner)]));
}
