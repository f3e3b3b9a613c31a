// Loaded before the built program: tells at its end, on stderr, the most memory that it had.
const { writeSync } = require('node:fs');
process.on('exit', () => {
  writeSync(2, `peak ${Math.round(process.resourceUsage().maxRSS / 1024)} MiB\n`);
});
