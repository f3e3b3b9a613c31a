import { topicsOf } from '../../src/cli/help/topics/topics.ts';
import { hashOfBody } from '../../src/commands/doctor/setup.ts';
import { manPages } from './man-pages.ts';
import {
  confirmationTable,
  coverageTable,
  exitCodeTable,
  readCoverage,
  referenceTable,
  shapeTable,
  withBlock,
} from './tables.ts';
import { readSchemas, readTree } from './tree.ts';

/** Every document that is generated from the commands, by its path; `read` returns the present text of a path. */
export async function readDocuments(read: (path: string) => string): Promise<ReadonlyMap<string, string>> {
  const tree = await readTree();
  const pages = manPages({
    tree,
    topics: Object.entries(topicsOf(tree.commands)),
    released: newestRelease(read('CHANGELOG.md')),
  });
  const tables = [
    [
      'docs/commands.md',
      { commands: referenceTable(tree), confirmation: confirmationTable(tree), shape: shapeTable(tree) },
    ],
    ['docs/coverage.md', { coverage: coverageTable(await readCoverage()) }],
    ['docs/ci.md', { 'exit-codes': exitCodeTable(tree) }],
  ] as const;
  const manifest = { ...JSON.parse(read('package.json')), man: [...pages.keys()].toSorted() };
  return new Map([
    ...tables.map(([path, blocks]) => {
      const renewed = Object.entries(blocks).reduce((text, [name, block]) => withBlock(text, name, block), read(path));
      return [path, renewed] as const;
    }),
    [skill, stamped(read(skill), manifest.version)],
    ['package.json', `${JSON.stringify(manifest, undefined, 2)}\n`],
    ...pages,
    ...(await readSchemas()),
    // Written by hand: no command prints it.
    [fileSchema, read(fileSchema)],
  ]);
}

const fileSchema = 'schemas/stackops.schema.json';
const skill = 'skills/stackops/SKILL.md';

function stamped(text: string, version: string): string {
  // `doctor` recognizes older and edited copies by these.
  return text
    .replace(/^ {2}version: .*$/m, `  version: "${version}"`)
    .replace(/^ {2}sha256: .*$/m, `  sha256: "${hashOfBody(text)}"`);
}

function newestRelease(changelog: string): string {
  const day = /^## \[\d[^\]]*\] - (\d{4}-\d\d-\d\d)$/m.exec(changelog)?.[1];
  if (!day) throw new Error('CHANGELOG.md names no release with its day: ## [1.2.3] - 2026-01-31');
  return day;
}
