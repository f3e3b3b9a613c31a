import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** What a hand-written sign-in service was asked, and how it shall answer. Types follow service.md, not the program. */
export interface SignInService {
  readonly origin: string;
  /** Queries of the authorize page and forms of the token endpoint, in order. */
  readonly authorized: URLSearchParams[];
  readonly exchanged: URLSearchParams[];
  /** Bearer tokens seen at the API. */
  readonly tokens: string[];
}
export interface Behaviour {
  readonly tokenStatus?: number;
  readonly tokenText?: string;
  readonly tokenLocation?: string;
  /** Status of the API's answer to any read. */
  readonly apiStatus?: number;
}
export const issuedToken = 'issued-token-0123456789-ABCDEFG';

export async function startSignInService(behaviour: Behaviour = {}): Promise<SignInService> {
  const authorized: URLSearchParams[] = [];
  const exchanged: URLSearchParams[] = [];
  const tokens: string[] = [];
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (url.pathname === '/oauth/authorize') {
      authorized.push(url.searchParams);
      return response.writeHead(200).end();
    }
    if (url.pathname === '/oauth/token') {
      exchanged.push(new URLSearchParams(await bodyOf(request)));
      const headers = behaviour.tokenLocation ? { location: behaviour.tokenLocation } : {};
      const text = behaviour.tokenText ?? `access_token=${issuedToken}&token_type=bearer`;
      return response.writeHead(behaviour.tokenStatus ?? 200, headers).end(text);
    }
    tokens.push(request.headers.authorization ?? '');
    return response.writeHead(behaviour.apiStatus ?? 200).end('{"response":[]}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, authorized, exchanged, tokens };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}
