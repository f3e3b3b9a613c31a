// Loaded before the program: Node warns while it runs.
setImmediate(() => process.emitWarning('of Node'));
