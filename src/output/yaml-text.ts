import { latePattern } from './late-pattern.ts';

/** What YAML or a terminal must not meet bare: controls, half characters, and what is invisible or turns text around. */
const hidden = latePattern(
  String.raw`[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb](?<![\n\t])`,
  'gu',
);

/**
 * A value as one YAML document, without its last line feed. Whatever YAML 1.1 or 1.2 would take for something else than
 * text (`no`, `0123`, `12:30`) stands in quotes; integers keep all their digits.
 */
export async function yamlText(value: unknown): Promise<string> {
  const { Document, visit } = await import('yaml');
  const document = new Document(value, {
    aliasDuplicateObjects: false,
    compat: 'yaml-1.1',
  });
  visit(document, {
    Scalar: (key, node) => {
      if (typeof node.value === 'string' && wantsQuotes(node.value, key === null)) node.type = 'QUOTE_DOUBLE';
    },
  });
  // Folded lines and lines broken within quotes would be the same values, and harder to look through.
  const text = document.toString({ lineWidth: 0, doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER });
  return text.replace(hidden(), escaped).replace(/\n$/, '');
}

/**
 * Bare, some readers of YAML 1.1 (PyYAML) take `=` for a type of its own, a tab within a line or before one for a
 * mistake, and the lines of a text that stands alone for a new document. Blanks and line feeds at an end of a text are
 * lost, or taken for its indentation.
 */
function wantsQuotes(text: string, isAlone: boolean): boolean {
  if (isAlone && text.includes('\n')) return true;
  return text === '=' || /^[^\n]*\t[^\n]*$|^[\n\t ]|\n[\n\t ]*\n$/.test(text) || text.search(hidden()) >= 0;
}

/** Such characters stand in double quotes only, where YAML knows these escapes. */
function escaped(found: string): string {
  const digits = (found.codePointAt(0) ?? 0).toString(16);
  return digits.length > 4 ? `\\U${digits.padStart(8, '0')}` : `\\u${digits.padStart(4, '0')}`;
}
