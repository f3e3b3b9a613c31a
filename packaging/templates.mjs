import { readFileSync } from 'node:fs';

/** A file of templates/ with its `{{names}}` replaced. A name without a value is a mistake of the template. */
export function fillTemplate(name, values) {
  const text = readFileSync(new URL(`templates/${name}`, import.meta.url), 'utf8');
  return text.replaceAll(/\{\{(\w+)\}\}/g, (_, key) => {
    if (values[key] === undefined) throw new Error(`templates/${name}: no value for ${key}`);
    return String(values[key]);
  });
}
