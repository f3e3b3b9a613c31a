const uid = '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';
/** UIDs of another stack, and of one with 500 variables. */
export const other = 'a81b6c0d4e2f49738c5d6e7f80912a3b';
export const large = 'b92c7d1e5f30584a9d6e7f8091a2b3c4';

/**
 * Requests that a command may send. Each number is a round of parallel requests, so an operator waits for as many rounds.
 * `warm`: a second run, which has the UID of the stack stored.
 */
export const budgets = [
  { words: 'stack list', rounds: [1] },
  { words: `variant list -s ${uid}`, rounds: [1] },
  { words: 'variant list -s shop', rounds: [2], warm: true },
  { words: 'variant list -s shop', rounds: [1, 1] },
  { words: `stack env list -s ${uid}`, rounds: [1, 3] },
  { words: `stack env list -s ${uid} --limit 40`, rounds: [1, 1] },
  { words: `stack env get KEY_94 -s ${uid}`, rounds: [1, 3] },
  { words: 'stack env get KEY_94 -s shop', rounds: [2, 3], warm: true },
  { words: `stack env set KEY_94=new -s ${uid}`, rounds: [1, 3, 1] },
  { words: `stack env set KEY_94=new --redeploy -y -s ${uid}`, rounds: [1, 3, 1, 1, 1] },
  { words: `stack env list --pending -s ${uid}`, rounds: [2, 3] },
  { words: `stack env export -s ${uid}`, rounds: [1, 3] },
  { words: `stack env check variables.env -s ${uid}`, rounds: [1, 3] },
  { words: `stack env diff variables.env -s ${uid}`, rounds: [1, 3] },
  { words: `stack env diff --with-stack ${other} -s ${uid}`, rounds: [2, 6] },
  { words: `stack env copy KEY_94 --from ${other} -s ${uid} -y`, rounds: [2, 6] },
  { words: `stack env import variables.env -s ${uid} -y`, rounds: [1, 3, 1] },
  { words: `stack env import variables.env -s ${large} --dry-run`, rounds: [1, 8, 8] },
  { words: `variant weight va-canary 25 -s ${uid}`, rounds: [1, 1, 1] },
  { words: 'variant weight va-canary 25 -s shop', rounds: [1, 1, 1, 1], warm: true },
  { words: 'gateway delete bastion-1 --confirm bastion-1 -a 42', rounds: [1, 1] },
  { words: `redeploy -s ${uid} -y`, rounds: [1, 1] },
  // The third is the only poll: the deployment has ended by then, and the list shows that it is live.
  { words: `redeploy -s ${uid} -y --wait`, rounds: [1, 1, 1, 1] },
  { words: `restart -s ${uid} -y`, rounds: [2, 1] },
  { words: 'restart -s shop -y', rounds: [1, 2, 1], warm: true },
  { words: `deployment promote --from ${other} -s ${uid} -y`, rounds: [3, 1] },
  { words: `deployment promote --from ${other} -s shop -y`, rounds: [1, 2, 1] },
  { words: `open -s ${uid}`, rounds: [1] },
  { words: `open deployment latest -s ${uid}`, rounds: [1, 1] },
  { words: `open server web-1 -s ${uid}`, rounds: [1] },
  { words: `status -s ${uid}`, rounds: [7, 5] },
  { words: 'status -s shop', rounds: [1, 7, 5] },
  { words: 'status', rounds: [1, 2] },
  { words: 'status -s shop,shop/production', rounds: [1, 2] },
  { words: `activity -s ${uid}`, rounds: [5, 3] },
  { words: 'activity -s shop', rounds: [6, 3], warm: true },
];

/**
 * Requests in total of every other command, with the UID of the stack and two pages of variables: a read and a lookup, or
 * a write, a lookup and one more page or read.
 */
export const mostRequests = {
  read: 2,
  ofReads: {
    activity: 6,
    'backup download': 4,
    // Two stacks, every section.
    diff: 15,
    // Two stacks of a file, their variables alone; plan one of them; pull and clone read every section.
    drift: 6,
    plan: 3,
    pull: 22,
    'sandbox clone': 22,
    'server ssh-config': 3,
    'stack env check': 3,
    'stack env diff': 4,
    status: 3,
    // The tags of each server.
    'tags list': 5,
  },
  write: 3,
  // One more read shows an unfinished scale.
  ofWrites: {
    'deployment promote': 4,
    'process scale': 4,
    'stack env copy': 4,
    'stack env edit': 5,
    'stack env rollback': 7,
  },
};

/** CPU time of a start, in multiples of `node -e 0`, by the major version of Node; other starts have no budget. */
export const startBudgets = {
  20: { version: 1.1, help: 1.1, list: 3.5, write: 4.2, drawn: 5, jq: 5.8 },
  24: { help: 1.15, list: 2.9, write: 3.6 },
};

/** CPU time of the program without Node (`npm run binary`). Each start also takes less than `gh --version`. */
export const standaloneBudgets = { version: 0.32, help: 0.33, list: 1.45, write: 1.75 };

/** CPU time of a list in multiples of a minimal undici script. */
export const listToUndici = 0.37;

/** Time of a list at 100 ms in multiples of hcloud, by rows. */
export const listToHcloud = { 30: 1.6, 10000: 0.25 };

/** Time of a download in multiples of a minimal undici script: at least 0.9 of its speed. */
export const downloadToUndici = 1.11;

/** CPU time of `activity` with twice the rows, and of a long list as YAML in multiples of JSON. */
export const activityToHalf = 2.3;
export const yamlToJson = 2;
