/** What stands in the address of a setting: the id its list gives, else its key with dashes (`git.branch`: `git-branch`). */
export function settingId({ key, id }: { readonly key: string; readonly id?: unknown }): string {
  const listed = ['number', 'bigint', 'string'].includes(typeof id) ? String(id) : '';
  return listed === '' ? key.replaceAll('.', '-') : listed;
}
