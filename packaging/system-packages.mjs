import { createHash } from 'node:crypto';
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inTemporaryFolder, run } from './run.mjs';
import { filesBelow, sizeOf, writeSystemTree } from './system-tree.mjs';
import { fillTemplate } from './templates.mjs';

/** Both kinds of package get the time of the commit, so that the same source makes the same bytes. */
export function makeDeb({ source, version, node, epoch, web, file }) {
  inTemporaryFolder((root) => {
    writeSystemTree(source, root, { zshFolder: 'share/zsh/vendor-completions' });
    const host = web ? new URL(web).hostname : 'localhost';
    const control = fillTemplate('control', { version, node, host, size: sizeOf(root) });
    const sums = filesBelow(root)
      .filter(({ isLink }) => !isLink)
      .map(
        ({ path }) =>
          `${createHash('md5')
            .update(readFileSync(join(root, path)))
            .digest('hex')}  ${path}\n`,
      );
    mkdirSync(join(root, 'DEBIAN'));
    for (const [name, text] of Object.entries({ control, md5sums: sums.join('') })) {
      writeFileSync(join(root, 'DEBIAN', name), text);
      chmodSync(join(root, 'DEBIAN', name), 0o644);
    }
    chmodSync(join(root, 'DEBIAN'), 0o755);
    const env = { SOURCE_DATE_EPOCH: epoch, DPKG_DEB_THREADS_MAX: '1' };
    run('dpkg-deb', ['--root-owner-group', '-Zxz', '--build', root, file], { env });
  });
}

export function makeRpm({ source, version, node, epoch, file }) {
  inTemporaryFolder((folder) => {
    const root = join(folder, 'root');
    writeSystemTree(source, root, { zshFolder: 'share/zsh/site-functions' });
    const files = filesBelow(root).map(({ path }) => `/${path}`);
    const spec = join(folder, 'stackops.spec');
    writeFileSync(spec, fillTemplate('stackops.spec', { version, node, files: files.join('\n') }));
    const macros = {
      _topdir: join(folder, 'build'),
      _rpmdir: folder,
      _rpmfilename: 'stackops.rpm',
      _buildhost: 'localhost',
      use_source_date_epoch_as_buildtime: 1,
      clamp_mtime_to_source_date_epoch: 1,
      // Switches off compressing, stripping and compiling of installed files.
      __os_install_post: '%{nil}',
    };
    const defined = Object.entries(macros).flatMap(([name, value]) => ['--define', `${name} ${value}`]);
    run('rpmbuild', ['-bb', '--quiet', '--buildroot', root, ...defined, spec], {
      env: { SOURCE_DATE_EPOCH: epoch, HOME: folder },
    });
    cpSync(join(folder, 'stackops.rpm'), file);
  });
}
