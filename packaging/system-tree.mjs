import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** Lays out an unpacked npm package below /usr, with man pages and completions in their system folders. */
export function writeSystemTree(source, root, { zshFolder }) {
  const put = (path, bytes) => {
    const file = join(root, 'usr', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes);
  };
  const at = (...path) => join(source, ...path);
  for (const part of ['bin', 'dist', 'package.json']) {
    cpSync(at(part), join(root, 'usr/lib/stackops', part), { recursive: true });
  }
  mkdirSync(join(root, 'usr/bin'), { recursive: true });
  symlinkSync('../lib/stackops/bin/stackops.js', join(root, 'usr/bin/stackops'));
  for (const page of readdirSync(at('man'))) {
    put(`share/man/man${page.at(-1)}/${page}.gz`, zipped(readFileSync(at('man', page))));
  }
  put('share/bash-completion/completions/stackops', readFileSync(at('completions/stackops.bash')));
  put(`${zshFolder}/_stackops`, readFileSync(at('completions/_stackops')));
  put('share/fish/vendor_completions.d/stackops.fish', readFileSync(at('completions/stackops.fish')));
  put('share/doc/stackops/changelog.gz', zipped(readFileSync(at('CHANGELOG.md'))));
  put('share/doc/stackops/copyright', `${readFileSync(at('LICENSE'), 'utf8')}\n${bundled}\n`);
  setModes(root);
}

const bundled = 'What is bundled keeps its own licences: /usr/lib/stackops/dist/third-party-licences.txt';

/** The same bytes each time: no name, no date. */
function zipped(bytes) {
  return gzipSync(bytes, { level: 9 });
}

/** Independent of the umask under which the files were made. */
function setModes(folder) {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) setModes(path);
    else if (entry.isFile()) chmodSync(path, path.endsWith('/bin/stackops.js') ? 0o755 : 0o644);
  }
}

/** All files below a folder, in order. */
export function filesBelow(root, folder = '') {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? filesBelow(root, path) : [{ path, isLink: entry.isSymbolicLink() }];
    });
}

/** In KiB, as in package metadata. */
export function sizeOf(root) {
  const bytes = filesBelow(root).map(({ path, isLink }) => (isLink ? 0 : statSync(join(root, path)).size));
  return Math.ceil(bytes.reduce((sum, size) => sum + size, 0) / 1024);
}
