import { invisible } from './invisible.ts';

export interface JsonStyle {
  readonly indent: boolean;
  /** Escapes what can disturb a terminal; the values stay the same. */
  readonly escapeControls: boolean;
}

/** JSON text of a value, without a final newline; bigints as digits. */
export function writeJson(value: unknown, style: JsonStyle): string {
  const text = holdsBigint(value) ? layOut(value, style.indent ? '\n' : '') : plain(value, style.indent);
  return style.escapeControls ? escapeControls(text) : text;
}

/** JSON text with everything escaped that can disturb a terminal; its values stay the same. */
export function escapeControls(text: string): string {
  // Line feeds between values are the layout; those in texts are escapes already.
  return text.replace(invisible(), (found) => (found === '\n' ? found : escaped(found)));
}

function plain(value: unknown, indent: boolean): string {
  return JSON.stringify(value, undefined, indent ? 2 : undefined) ?? 'null';
}

function holdsBigint(value: unknown): boolean {
  if (typeof value === 'bigint') return true;
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsBigint);
}

/** Node 20 has no `JSON.rawJSON`. `line` is a newline with the indentation so far, or empty for one line. */
function layOut(value: unknown, line: string): string {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return plain(value, false);
  const inner = line && `${line}  `;
  if (Array.isArray(value)) {
    return enclose(
      '[]',
      value.map((item) => layOut(item, inner)),
      line,
    );
  }
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return enclose(
    '{}',
    members.map(([name, member]) => `${JSON.stringify(name)}:${line && ' '}${layOut(member, inner)}`),
    line,
  );
}

function enclose(brackets: '[]' | '{}', parts: readonly string[], line: string): string {
  if (parts.length === 0) return brackets;
  const inner = line && `${line}  `;
  return `${brackets[0]}${inner}${parts.join(`,${inner}`)}${line}${brackets[1]}`;
}

function escaped(found: string): string {
  return Array.from({ length: found.length }, (_, at) => {
    return `\\u${found.charCodeAt(at).toString(16).padStart(4, '0')}`;
  }).join('');
}
