// Loaded before the built program: tells at its end, on stderr, the most memory that it had.
const { readFileSync, writeSync } = require('node:fs');
process.on('exit', () => writeSync(2, `peak ${Math.round(peakInKib() / 1024)} MiB\n`));

function peakInKib() {
  const { maxRSS } = process.resourceUsage();
  if (process.platform !== 'linux') return maxRSS;
  // maxRSS begins there with what the starting process had.
  const own = /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'));
  return own ? Number(own[1]) : maxRSS;
}
