import type { SentEvent } from '../../changes/journal/event.ts';
import { type Destination, flagWords } from '../../contract/command-line.ts';
import { Problem } from '../../problems/problem.ts';
import { addressOf } from '../../settings/addresses.ts';
import { resolveSettings, type Settings } from '../../settings/settings.ts';
import type { Services } from '../services.ts';

/** Printed commands act at the service of their change, not at the configured one. */
export function destinationOf({ profile, address, account }: SentEvent, services: Services): Destination {
  const stackName = (uid: string) => uid;
  const { platform } = services;
  if (address === undefined) {
    const isTyped = services.settings().get('sandbox').origin === 'flag --sandbox';
    return { flags: isTyped ? ['--sandbox'] : [], account, stackName, platform };
  }
  const now = settingsNow(services, {});
  const isKnown = isProfile(profile, services);
  const theirs = isKnown ? settingsNow(services, { profile }) : now;
  const isUsual = now.wantedProfile.value === profile;
  const isSame = unlessUsage(() => addressOf(theirs)) === address;
  return {
    account: theirs.get('account').value === account ? undefined : account,
    flags: [...(isUsual || !isKnown ? [] : flagWords('-p', profile)), ...(isSame ? [] : ['--base-url', address])],
    stackName,
    platform,
  };
}

/** Whether this command acts at the service, with the profile and the account of a change. A profile that is gone does not matter. */
export function actsThere({ profile, address, account }: SentEvent, services: Services): boolean {
  const now = services.settings();
  if (account !== undefined && now.get('account').value !== account) return false;
  if (address === undefined) return true;
  return addressOf(now) === address && (now.profile === profile || !isProfile(profile, services));
}

function isProfile(profile: string, services: Services): boolean {
  return unlessUsage(() => settingsNow(services, { profile }).profile) !== undefined;
}

/** The settings of a command with only these flags. */
function settingsNow({ env, folders }: Services, flags: Readonly<Record<string, string>>): Settings {
  return resolveSettings({ flags, env, folders });
}

function unlessUsage<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Problem && error.kind === 'usage') return undefined;
    throw error;
  }
}
