type Env = Readonly<Record<string, string | undefined>>;

/** The line that takes a variable away, in the shell that this environment belongs to. */
export function unsetLine(name: string, { OS, SHELL = '' }: Env): string {
  if (OS === 'Windows_NT') return `Remove-Item Env:${name}`;
  return SHELL.endsWith('/fish') ? `set -e ${name}` : `unset ${name}`;
}

/** The line that sets the clock; the platform is as Node names it. */
export function clockLine(platform: string): string {
  if (platform.startsWith('win32')) return 'w32tm /resync';
  return platform.startsWith('darwin') ? 'sudo sntp -sS time.apple.com' : 'sudo timedatectl set-ntp true';
}

/** What makes a certificate trusted whose authority Node does not know. */
export const trustAuthority =
  'set NODE_EXTRA_CA_CERTS to the file of its authority; from Node 22.19 on NODE_USE_SYSTEM_CA=1 trusts what the system trusts';
