/** `4.2 GiB`, `512 B`. */
export function sizeText(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  let size = bytes;
  let unit = 0;
  // 1023.95 would print as 1024.0 in the smaller unit.
  while (Math.abs(size) >= (unit === 0 ? 1024 : 1023.95) && unit < units.length - 1) {
    size /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? size : size.toFixed(1)} ${units[unit]}`;
}
