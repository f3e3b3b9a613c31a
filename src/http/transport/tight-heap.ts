const isLong = 4 * 1024 * 1024;
const percent = 10;
let isTight = false;

/**
 * After long responses, collects garbage whenever the heap has grown by a tenth. By default V8 lets the heap double,
 * and the garbage of earlier responses takes more memory than the held data.
 */
export function tightenHeap(bytes: number): void {
  if (isTight || bytes < isLong) return;
  isTight = true;
  // Few responses are long, so the module is imported on demand.
  void import('node:v8').then((v8) => v8.setFlagsFromString(`--heap-growing-percent=${percent}`));
}
