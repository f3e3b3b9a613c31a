// Loaded before the program: sleeping takes no time, and its clock goes on as if it had.
const { syncBuiltinESMExports } = require('node:module');
const timers = require('node:timers/promises');

const RealDate = Date;
let aheadMs = 0;

globalThis.Date = class extends RealDate {
  constructor(...parts) {
    super(...(parts.length > 0 ? parts : [RealDate.now() + aheadMs]));
  }

  static now() {
    return RealDate.now() + aheadMs;
  }
};
timers.setTimeout = async (ms, value) => {
  aheadMs += ms;
  await new Promise(setImmediate);
  return value;
};
syncBuiltinESMExports();
