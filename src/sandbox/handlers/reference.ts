import type { clouds } from '../../resources/reference.ts';
import type { HandlersOf } from '../context.ts';

type CloudName = (typeof clouds)[number];
type ByCloud<T> = Readonly<Record<CloudName, T>>;
type TextById = Readonly<Record<string, string>>;

/** Handlers of reference data. service.md shows no filtered replies, so these have the simplest shape that fits it. */
export const referenceHandlers: HandlersOf<'reference'> = {
  clouds: (_, { cloud, filter }) => {
    const names = cloud ? [cloud] : (Object.keys(cloudDescriptions) as CloudName[]);
    if (filter === 'clouds') return names;
    const getCloudInfo = infoGetterByFilter[filter ?? 'none'];
    if (cloud && filter !== 'clouds_full') return getCloudInfo(cloud);
    return Object.fromEntries(names.map((name) => [name, getCloudInfo(name)]));
  },
  webserverModules: () => webserverModules,
};

const infoGetterByFilter = {
  none: (name: CloudName) => ({ sizes: sizes[name], regions: regions[name] }),
  clouds_full: (name: CloudName) => cloudDescriptions[name],
  sizes: (name: CloudName) => Object.keys(sizes[name]),
  sizes_full: (name: CloudName) => sizes[name],
  regions: (name: CloudName) => Object.keys(regions[name]),
  regions_full: (name: CloudName) => regions[name],
};

const cloudDescriptions: ByCloud<string> = {
  aws: 'Amazon Web Services',
  azure_rm: 'Microsoft Azure',
  digitalocean: 'DigitalOcean',
  googlecloud: 'Google Cloud',
  hetzner: 'Hetzner Cloud',
  linode: 'Linode',
  ovh: 'OVHcloud',
  vultr: 'Vultr',
};

const sizes: ByCloud<TextById> = {
  aws: { 't3.small': '2 vCPU, 2 GB RAM', 'm5.large': '2 vCPU, 8 GB RAM' },
  azure_rm: { Standard_B2s: '2 vCPU, 4 GB RAM', Standard_D2s_v5: '2 vCPU, 8 GB RAM' },
  digitalocean: { 's-1vcpu-2gb': '1 vCPU, 2 GB RAM', 's-2vcpu-4gb': '2 vCPU, 4 GB RAM' },
  googlecloud: { 'e2-small': '2 vCPU, 2 GB RAM', 'n2-standard-2': '2 vCPU, 8 GB RAM' },
  hetzner: { cx22: '2 vCPU, 4 GB RAM', cx32: '4 vCPU, 8 GB RAM' },
  linode: { 'g6-standard-1': '1 vCPU, 2 GB RAM', 'g6-standard-2': '2 vCPU, 4 GB RAM' },
  ovh: { 'b3-8': '2 vCPU, 8 GB RAM', 'd2-4': '2 vCPU, 4 GB RAM' },
  vultr: { 'vc2-1c-2gb': '1 vCPU, 2 GB RAM', 'vc2-2c-4gb': '2 vCPU, 4 GB RAM' },
};

const regions: ByCloud<TextById> = {
  aws: { 'eu-west-1': 'Ireland', 'us-east-1': 'N. Virginia' },
  azure_rm: { westeurope: 'West Europe', eastus: 'East US' },
  digitalocean: { ams3: 'Amsterdam 3', nyc3: 'New York 3' },
  googlecloud: { 'europe-west4': 'Netherlands', 'us-central1': 'Iowa' },
  hetzner: { fsn1: 'Falkenstein', hel1: 'Helsinki' },
  linode: { 'eu-central': 'Frankfurt', 'us-east': 'Newark' },
  ovh: { GRA: 'Gravelines', BHS: 'Beauharnois' },
  vultr: { ams: 'Amsterdam', ewr: 'New Jersey' },
};

const webserverModules = {
  geoip2: { name: 'GeoIP2', description: 'Looks up the country of a visitor.', version: '3.4' },
  headers_more: { name: 'Headers More', description: 'Sets and clears request and response headers.', version: '0.37' },
  brotli: { name: 'Brotli', description: 'Compresses responses with Brotli.', version: '1.0.0rc' },
};
