import { CliError } from '../errors/cli-error.ts';
import type { Settings } from './settings.ts';

export const setAddress = 'stackops profile set base_url=https://HOST/api/3';

/** Address of the service, such as `https://host/api/3`. Throws usage with the command that sets it. */
export function baseUrlOf(settings: Settings): URL {
  const { value } = settings.get('base_url');
  if (value) return new URL(value);
  throw new CliError('usage', 'no service address yet; with --sandbox none is needed', { hint: setAddress });
}

/** Address of the service without a trailing slash. */
export function addressOf(settings: Settings): string {
  return baseUrlOf(settings).href.replace(/\/$/, '');
}

/** Address of the sign-in pages. Throws usage when neither it nor the service's address is known. */
export function authUrlOf(settings: Settings): URL {
  const { value } = settings.get('auth_url');
  return new URL(value ?? baseUrlOf(settings).origin);
}

/** When another host may have sent the response and our address names no API version, the hint names one. */
export function aboutAddress(error: CliError, settings: Settings): CliError {
  if (!error.details.doubtsAddress || /\/v?\d+\/?$/.test(baseUrlOf(settings).pathname)) return error;
  const address = addressOf(settings);
  return error.with({ hint: `${address} has no API version; the address may be ${address}/api/3` });
}
