import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** What makes a release of an npm package. */
export async function artifactsMaker(): Promise<(options: object) => void> {
  return (await import(new URL('../../packaging/artifacts.mjs', import.meta.url).href)).makeArtifacts;
}

/** The npm package of what `npm test` built. */
export function packInto(folder: string): void {
  const words = ['pack', '--ignore-scripts', '--offline', '--loglevel=error', '--pack-destination', folder];
  execFileSync('npm', words, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
}
