/**
 * Converts bytes to text without loss: bytes that are not UTF-8 become lone surrogates (U+DC80 to U+DCFF), which no
 * UTF-8 text holds.
 */
export function textOfBytes(bytes: Uint8Array): string {
  const signs = Buffer.from(bytes).toString('latin1');
  return signs.replace(/[\x80-\xff]+/g, (run) => {
    const text = Buffer.from(run, 'latin1').toString('utf8');
    return text.includes('\ufffd')
      ? run.replace(/./gs, (sign) => String.fromCharCode(0xdc00 + sign.charCodeAt(0)))
      : text;
  });
}

export function bytesOfText(text: string): Uint8Array {
  const parts = text.split(/([\udc80-\udcff]+)/u);
  const bytesOfRun = (run: string) => Uint8Array.from(run, (sign) => sign.charCodeAt(0) - 0xdc00);
  return Buffer.concat(parts.map((part, index) => (index % 2 === 0 ? Buffer.from(part, 'utf8') : bytesOfRun(part))));
}
