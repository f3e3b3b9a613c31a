import { aboutRefusal } from './auth/token-source.ts';
import type { Operation } from './contract/operation.ts';
import type { Api } from './http/api.ts';
import { Problem } from './problems/problem.ts';

/** A refused token is told with where it came from. */
export function aware(api: () => Api, origin: () => string): Api {
  const told = async <Value>({ scope }: Operation, work: () => Promise<Value>): Promise<Value> => {
    try {
      return await work();
    } catch (error) {
      throw isRefusal(error) && scope !== 'none' ? aboutRefusal(error, origin()) : error;
    }
  };
  return {
    call: (operation, input, more) => told(operation, () => api().call(operation, input, more)),
    eachPage: (operation, input, take, more) => told(operation, () => api().eachPage(operation, input, take, more)),
  };
}

function isRefusal(error: unknown): error is Problem {
  return error instanceof Problem && [401, 403].includes(error.details.status ?? 0);
}
