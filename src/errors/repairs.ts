type Env = Readonly<Record<string, string | undefined>>;

/** Returns the command that unsets a variable in the shell of this environment. */
export function unsetLine(name: string, { OS, SHELL = '' }: Env): string {
  if (OS === 'Windows_NT') return `Remove-Item Env:${name}`;
  return SHELL.endsWith('/fish') ? `set -e ${name}` : `unset ${name}`;
}

export function clockLine(platform: string): string {
  if (platform.startsWith('win32')) return 'w32tm /resync';
  return platform.startsWith('darwin') ? 'sudo sntp -sS time.apple.com' : 'sudo timedatectl set-ntp true';
}

/** How to trust a certificate whose authority Node does not know. */
export const trustAuthority =
  'set NODE_EXTRA_CA_CERTS to the CA certificate file; or, from Node 22.19, set NODE_USE_SYSTEM_CA=1 to use the system store';
