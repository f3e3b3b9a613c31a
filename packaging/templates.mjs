import { readFileSync } from 'node:fs';

/** A file of templates/ with its `{{names}}` replaced. Throws for a name without a value. */
export function fillTemplate(name, values) {
  const text = readFileSync(new URL(`templates/${name}`, import.meta.url), 'utf8');
  return text.replaceAll(/\{\{(\w+)\}\}/g, (_, key) => {
    if (values[key] === undefined) throw new Error(`templates/${name}: no value for ${key}`);
    return String(values[key]);
  });
}
