// Loaded before the program: sleeping takes no time, and its clock goes on as if it had. With CLOCK_MS the clock begins
// there and goes on by sleeping alone.
const { syncBuiltinESMExports } = require('node:module');
const timers = require('node:timers/promises');

const RealDate = Date;
const fixedMs = process.env['CLOCK_MS'];
let aheadMs = 0;
const nowMs = () => (fixedMs === undefined ? RealDate.now() : Number(fixedMs)) + aheadMs;

globalThis.Date = class extends RealDate {
  constructor(...parts) {
    super(...(parts.length > 0 ? parts : [nowMs()]));
  }

  static now() {
    return nowMs();
  }
};
const realElapsed = performance.now.bind(performance);
performance.now = () => (fixedMs === undefined ? realElapsed() : 0) + aheadMs;
const realUptime = process.uptime.bind(process);
process.uptime = () => (fixedMs === undefined ? realUptime() : 0) + aheadMs / 1000;
timers.setTimeout = async (ms, value) => {
  aheadMs += ms;
  await new Promise(setImmediate);
  return value;
};
syncBuiltinESMExports();
