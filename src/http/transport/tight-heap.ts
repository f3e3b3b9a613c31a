const isLong = 4 * 1024 * 1024;
const percent = 10;
let isTight = false;

/**
 * Lets the heap grow by a tenth before garbage is looked for, once an answer is long, or what is kept of several. By
 * default V8 lets it double, and what is left of the answers before takes up more than what is kept of them.
 */
export function tightenHeap(bytes: number): void {
  if (isTight || bytes < isLong) return;
  isTight = true;
  // Imported here: few answers are long.
  void import('node:v8').then((v8) => v8.setFlagsFromString(`--heap-growing-percent=${percent}`));
}
