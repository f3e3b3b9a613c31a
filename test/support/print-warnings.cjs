// Loaded before the program: whatever Node warns of is printed, though the program keeps it from people.
const { emitWarning } = process;
process.emitWarning = (warning, ...more) => {
  process.stderr.write(`process warning: ${warning}\n`);
  return emitWarning.call(process, warning, ...more);
};
