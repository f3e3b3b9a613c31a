import type { HttpResponse } from '../../contract/exchange.ts';
import { type Stage as ApiStage, answerQuestion, jsonAnswer } from '../answer.ts';
import { answerStorage } from '../storage.ts';
import type { ReceivedRequest } from './call.ts';
import { decideConsent, grantToken, showConsent } from './oauth.ts';

const storagePath = '/storage';

/** What the server knows besides the request. */
export interface ServerStage extends Omit<ApiStage, 'now' | 'storage'> {
  readonly now: () => Date;
  readonly clientSecret: string;
}

/** The API, the storage of backups and the sign-in pages. */
export function routeCall(stage: ServerStage, call: ReceivedRequest): HttpResponse {
  const { state } = stage;
  const now = stage.now();
  if (call.inApi)
    return answerQuestion(call, { ...stage, now, storage: `http://127.0.0.1:${call.port}${storagePath}` });
  if (call.method === 'GET' && call.path.startsWith(`${storagePath}/`)) {
    const authorized = call.authorization !== undefined;
    return answerStorage({ state, now }, { ...call, authorized, path: call.path.slice(storagePath.length) });
  }
  const signIn = { ...stage, now };
  const form = new URLSearchParams(call.body);
  switch (`${call.method} ${call.path}`) {
    case 'GET /oauth/authorize':
      return showConsent(signIn, call.query);
    case 'POST /oauth/authorize':
      return decideConsent(signIn, form);
    case 'POST /oauth/token':
      return grantToken(signIn, { ...call, form });
    default:
      return jsonAnswer(404, { error: 'not_found', details: `${call.method} ${call.path} not found` });
  }
}
