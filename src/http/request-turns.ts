/** More would make a service wait for itself; fewer leave an operator waiting for the way there and back. */
const mostAtOnce = 8;

/** The requests of one run, at most eight of them under way at once. */
export interface RequestTurns {
  /** Does the work when its turn comes; turns come in the order in which they are asked for. */
  run<Value>(work: () => Promise<Value>): Promise<Value>;
  /** From now on one request at a time: the service is about to refuse more. */
  goOneByOne(): void;
}

export function requestTurns(): RequestTurns {
  const waiting: (() => void)[] = [];
  let most = mostAtOnce;
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
    goOneByOne: () => {
      most = 1;
    },
  };
}
