import { type CloudFacts, cloudFacts, webserverModules } from '../seed/reference-data.ts';
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
