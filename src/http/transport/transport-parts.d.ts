// The types of undici describe only its index, and the index loads all of undici. A request needs only these modules.
declare module 'undici/lib/dispatcher/client.js' {
  const part: typeof import('undici').Client;
  export = part;
}
declare module 'undici/lib/dispatcher/proxy-agent.js' {
  const part: typeof import('undici').ProxyAgent;
  export = part;
}
declare module 'undici/lib/api/api-connect.js' {
  const part: import('undici').Dispatcher['connect'];
  export = part;
}
