import type { Host } from '../cli/host.ts';
import type { RampServices } from '../commands/variant/ramp/host.ts';
import type { ProgramServices } from '../programs/run.ts';
import type { OpenSession } from './session.ts';

/** What a ramp needs of the process; its checks send no credential. */
export function rampServices(host: Host, session: () => OpenSession, programs: ProgramServices): RampServices {
  const { version, platform, sleep, deadline, signalGroup, redactor } = host;
  return {
    ...programs,
    signalGroup,
    sleep,
    deadline,
    folders: () => session().folders(),
    stack: () => session().settings.get('stack').value,
    place: () => [session().baseUrl(), session().settings.get('account').value ?? ''],
    redact: redactor.redact,
    probe: async (url, limits) => {
      const { probe } = await import('../http/transport/probe.ts');
      const userAgent = `stackops/${version} (${platform})`;
      return probe(url, { ...limits, userAgent, connectTimeoutMs: limits.timeoutMs, env: host.env });
    },
  };
}
