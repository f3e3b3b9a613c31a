/** More would make a service wait for itself; fewer leave an operator waiting for the way there and back. */
const mostAtOnce = 8;

/** The requests of one run, at most eight of them under way at once. */
export interface RequestTurns {
  /** Does the work when its turn comes; turns come in the order in which they are asked for. */
  run<Value>(work: () => Promise<Value>): Promise<Value>;
  /** Takes note of a response: near the limit, requests go one at a time from now on. */
  noteLimit(isNear: boolean | undefined): void;
  /** Whether the service is about to refuse more, as far as its responses say. */
  isNearLimit(): boolean;
}

export function requestTurns(): RequestTurns {
  const waiting: (() => void)[] = [];
  let most = mostAtOnce;
  let isNearLimit = false;
  let underWay = 0;
  const startNext = (): void => {
    if (underWay >= most) return;
    const start = waiting.shift();
    if (!start) return;
    underWay += 1;
    start();
  };
  return {
    async run(work) {
      await new Promise<void>((start) => {
        waiting.push(start);
        startNext();
      });
      try {
        return await work();
      } finally {
        underWay -= 1;
        startNext();
      }
    },
    noteLimit: (isNear = isNearLimit) => {
      isNearLimit = isNear;
      if (isNear) most = 1;
    },
    isNearLimit: () => isNearLimit,
  };
}
