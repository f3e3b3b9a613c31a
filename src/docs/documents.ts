import { readTopics } from '../cli/help/topics.ts';
import { coverageTable, readCoverage } from './coverage.ts';
import { manPages } from './man-pages.ts';
import { confirmationTable, referenceTable, shapeTable, withBlock } from './readme.ts';
import { readTree } from './tree.ts';

/** Every document that is written from the commands, by its path, made from what README.md, package.json and CHANGELOG.md hold now. */
export async function readDocuments(before: Before): Promise<ReadonlyMap<string, string>> {
  const tree = await readTree();
  const pages = manPages({ tree, topics: readTopics(tree.commands), released: newestRelease(before.changelog) });
  const blocks = [
    ['confirmation', confirmationTable(tree)],
    ['commands', referenceTable(tree)],
    ['shape', shapeTable(tree)],
    ['coverage', coverageTable(await readCoverage())],
  ] as const;
  const manifest = { ...JSON.parse(before.manifest), man: [...pages.keys()].toSorted() };
  return new Map([
    ['README.md', blocks.reduce((text, [name, block]) => withBlock(text, name, block), before.readme)],
    ['package.json', `${JSON.stringify(manifest, undefined, 2)}\n`],
    ...pages,
  ]);
}

export interface Before {
  readonly readme: string;
  readonly manifest: string;
  readonly changelog: string;
}

/** The day of the newest release in the changelog, `2026-11-21`. */
function newestRelease(changelog: string): string {
  const day = /^## \[\d[^\]]*\] - (\d{4}-\d\d-\d\d)$/m.exec(changelog)?.[1];
  if (!day) throw new Error('CHANGELOG.md names no release with its day: ## [1.2.3] - 2026-01-31');
  return day;
}
