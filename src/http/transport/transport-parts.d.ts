// The types of undici describe only its index, and the index loads all of undici. A request needs only these modules.
declare module 'undici/lib/dispatcher/client.js' {
  import type { Client } from 'undici';

  const part: typeof Client;
  export = part;
}
declare module 'undici/lib/dispatcher/proxy-agent.js' {
  import type { ProxyAgent } from 'undici';

  const part: typeof ProxyAgent;
  export = part;
}
declare module 'undici/lib/api/api-connect.js' {
  import type { Dispatcher } from 'undici';

  const part: Dispatcher['connect'];
  export = part;
}
