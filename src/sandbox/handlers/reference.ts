import type { cloudNames } from '../../resources/reference.ts';
import type { HandlersOf } from '../world.ts';

type CloudName = keyof typeof cloudFacts;
type Texts = Readonly<Record<string, string>>;

/** The shapes of filtered replies are not in service.md; these are the plainest ones its words allow. */
export const referenceHandlers: HandlersOf<'reference'> = {
  clouds: (_, { cloud, filter }) => {
    const chosen = cloud ? { [cloud]: cloudFacts[cloud] } : cloudFacts;
    switch (filter) {
      case undefined:
        return cloud ? shown(cloudFacts[cloud]) : each(chosen, shown);
      case 'clouds':
        return Object.keys(chosen);
      case 'clouds_full':
        return each(chosen, ({ description }) => description);
      default:
        return filtered(chosen, cloud, filter);
    }
  },
  webserverModules: () => webserverModules,
};

type Filter = 'sizes' | 'sizes_full' | 'regions' | 'regions_full';

function filtered(chosen: Readonly<Record<string, CloudFacts>>, cloud: CloudName | undefined, filter: Filter): unknown {
  const of = (facts: CloudFacts): Texts => (filter.startsWith('sizes') ? facts.sizes : facts.regions);
  const pick = (facts: CloudFacts) => (filter.endsWith('_full') ? of(facts) : Object.keys(of(facts)));
  return cloud ? pick(cloudFacts[cloud]) : each(chosen, pick);
}

function shown({ sizes, regions }: CloudFacts): unknown {
  return { sizes, regions };
}

function each<T>(
  chosen: Readonly<Record<string, CloudFacts>>,
  show: (facts: CloudFacts) => T,
): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(chosen).map(([name, facts]) => [name, show(facts)]));
}

interface CloudFacts {
  readonly description: string;
  readonly sizes: Readonly<Record<string, string>>;
  readonly regions: Readonly<Record<string, string>>;
}

const cloudFacts: Readonly<Record<(typeof cloudNames)[number], CloudFacts>> = {
  aws: {
    description: 'Amazon Web Services',
    sizes: { 't3.small': '2 vCPU, 2 GB RAM', 'm5.large': '2 vCPU, 8 GB RAM' },
    regions: { 'eu-west-1': 'Ireland', 'us-east-1': 'N. Virginia' },
  },
  azure_rm: {
    description: 'Microsoft Azure',
    sizes: { Standard_B2s: '2 vCPU, 4 GB RAM', Standard_D2s_v5: '2 vCPU, 8 GB RAM' },
    regions: { westeurope: 'West Europe', eastus: 'East US' },
  },
  digitalocean: {
    description: 'DigitalOcean',
    sizes: { 's-1vcpu-2gb': '1 vCPU, 2 GB RAM', 's-2vcpu-4gb': '2 vCPU, 4 GB RAM' },
    regions: { ams3: 'Amsterdam 3', nyc3: 'New York 3' },
  },
  googlecloud: {
    description: 'Google Cloud',
    sizes: { 'e2-small': '2 vCPU, 2 GB RAM', 'n2-standard-2': '2 vCPU, 8 GB RAM' },
    regions: { 'europe-west4': 'Netherlands', 'us-central1': 'Iowa' },
  },
  hetzner: {
    description: 'Hetzner Cloud',
    sizes: { cx22: '2 vCPU, 4 GB RAM', cx32: '4 vCPU, 8 GB RAM' },
    regions: { fsn1: 'Falkenstein', hel1: 'Helsinki' },
  },
  linode: {
    description: 'Linode',
    sizes: { 'g6-standard-1': '1 vCPU, 2 GB RAM', 'g6-standard-2': '2 vCPU, 4 GB RAM' },
    regions: { 'eu-central': 'Frankfurt', 'us-east': 'Newark' },
  },
  ovh: {
    description: 'OVHcloud',
    sizes: { 'b3-8': '2 vCPU, 8 GB RAM', 'd2-4': '2 vCPU, 4 GB RAM' },
    regions: { GRA: 'Gravelines', BHS: 'Beauharnois' },
  },
  vultr: {
    description: 'Vultr',
    sizes: { 'vc2-1c-2gb': '1 vCPU, 2 GB RAM', 'vc2-2c-4gb': '2 vCPU, 4 GB RAM' },
    regions: { ams: 'Amsterdam', ewr: 'New Jersey' },
  },
};

const webserverModules = {
  geoip2: { name: 'GeoIP2', description: 'Looks up the country of a visitor.', version: '3.4' },
  headers_more: { name: 'Headers More', description: 'Sets and clears request and response headers.', version: '0.37' },
  brotli: { name: 'Brotli', description: 'Compresses responses with Brotli.', version: '1.0.0rc' },
};
