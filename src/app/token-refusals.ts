import { aboutRefusal, type FoundToken } from '../auth/token-source.ts';
import type { Operation } from '../contract/operation.ts';
import type { Api } from '../http/api.ts';
import { Problem } from '../problems/problem.ts';

/** Wraps the client that `open` creates on first use: the error for a refused token names its source. */
export function withTokenSource(open: () => Api, token: () => Promise<FoundToken>): Api {
  let opened: Api | undefined;
  const api = (): Api => {
    opened ??= open();
    return opened;
  };
  const explained = async <Value>({ scope }: Operation, work: () => Promise<Value>): Promise<Value> => {
    try {
      return await work();
    } catch (error) {
      throw isRefusal(error) && scope !== 'none' ? aboutRefusal(error, (await token()).origin) : error;
    }
  };
  return {
    call: (operation, input, more) => explained(operation, () => api().call(operation, input, more)),
    eachPage: (operation, input, take, more) =>
      explained(operation, () => api().eachPage(operation, input, take, more)),
  };
}

function isRefusal(error: unknown): error is Problem {
  return error instanceof Problem && [401, 403].includes(error.details.status ?? 0);
}
