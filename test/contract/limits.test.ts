import { expect, test } from 'vitest';
import { catalogue, everyOperation } from '../../src/resources/index.ts';

/** The closed sets of words and the limits that the document gives for parameters: typed by hand, never generated. */
const choices: readonly (readonly [id: string, name: string, words: string])[] = [
  ['backups.list', 'db_type', 'mysql postgresql redis mongodb'],
  ['reference.clouds', 'cloud', 'aws azure_rm digitalocean googlecloud hetzner linode ovh vultr'],
  ['reference.clouds', 'filter', 'clouds clouds_full regions regions_full sizes sizes_full'],
  ['variants.update', 'operation', 'commit percentage'],
  ['tags.list', 'entity_type', 'server loadbalancer'],
  ['databaseUsers.create', 'user_type', 'application readonly'],
];
const operations = new Map(everyOperation());

test.each(choices)('%s takes for %s the described words', (id, name, words) => {
  expect(operations.get(id)?.params[name]?.choices).toEqual(words.split(' '));
});

test('the limits have their numbers', () => {
  expect(catalogue.deployments.create.params.user_reference.maxLength).toBe(255);
  expect(catalogue.variants.update.params.canary_percentage.range).toEqual([0, 100]);
  expect(catalogue.devices.create.params.device_type.range).toEqual([1, 2]);
  expect(catalogue.devices.create.params.sub_type.range).toEqual([1, 3]);
});
