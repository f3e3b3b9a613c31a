type Environment = Readonly<Record<string, string | undefined>>;

/** The environment under the names that we ask for: Windows knows no case, and spells PATH `Path`. */
export function readEnvironment(env: Environment, platform: string): Environment {
  if (platform !== 'win32') return { ...env };
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [name.toUpperCase(), value]));
}
