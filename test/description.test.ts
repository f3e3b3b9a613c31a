import { describe, expect, it } from 'vitest';
import type { Fields } from '../src/contract/field.ts';
import { catalogue, everyOperation } from '../src/resources/index.ts';

/**
 * The second opinion on the catalogue: every table below was typed by hand from the description of the service, and is
 * never to be generated from the code. One declaration yields command, request, sandbox and help, so a wrong one would
 * be wrong everywhere in harmony; here it disagrees.
 */

/** All 60 lines of the description, in its order: id, method, path, scope. */
const described = table(`
  users.get                          GET     /users/:id                                                     users
  users.list                         GET     /users                                                         admin
  users.update                       PUT     /users/:id                                                     admin
  devices.create                     POST    /users/:id/devices                                             users
  devices.update                     PUT     /users/:id/devices                                             users
  devices.delete                     DELETE  /users/:id/devices/:token                                      users

  accounts.list                      GET     /accounts                                                      users
  accounts.get                       GET     /accounts/:id                                                  users
  accounts.otp                       POST    /accounts/otp                                                  users

  gateways.list                      GET     /accounts/:account_id/gateways                                 public
  gateways.create                    POST    /accounts/:account_id/gateways                                 admin
  gateways.update                    PUT     /accounts/:account_id/gateways/:id                             admin
  gateways.delete                    DELETE  /accounts/:account_id/gateways/:id                             admin

  backups.list                       GET     /stacks/:id/backups                                            public
  backups.get                        GET     /stacks/:stack_id/backups/:id                                  public
  backups.files                      GET     /stacks/:stack_id/backups/:backup_id/files                     public
  backups.link                       GET     /stacks/:stack_id/backups/:backup_id/files/:id                 public
  backups.create                     POST    /stacks/:stack_id/backups                                      admin
  backups.import                     POST    /stacks/:stack_id/backups                                      admin

  environments.list                  GET     /stacks/:stack_id/environments                                 admin
  environments.get                   GET     /stacks/:stack_id/environments/:env_var_id                     admin
  environments.create                POST    /stacks/:stack_id/environments                                 admin
  environments.update                PUT     /stacks/:stack_id/environments/:env_var_key                    admin
  environments.delete                DELETE  /stacks/:stack_id/environments/:env_var_key                    admin

  stackSettings.list                 GET     /stacks/:stack_id/settings                                     admin
  stackSettings.get                  GET     /stacks/:stack_id/settings/:id                                 public
  stackSettings.update               PUT     /stacks/:stack_id/settings/:id                                 admin

  servers.list                       GET     /stacks/:stack_id/servers                                      public
  servers.get                        GET     /stacks/:stack_id/servers/:server_id                           public
  servers.reboot                     POST    /stacks/:stack_id/servers/:server_id/reboot                    admin
  serverSettings.list                GET     /stacks/:stack_id/servers/:server_id/settings                  public|admin
  serverSettings.get                 GET     /stacks/:stack_id/servers/:server_id/settings/:id              public
  serverSettings.update              PUT     /stacks/:stack_id/servers/:server_id/settings/:id              admin

  deployments.list                   GET     /stacks/:stack_id/deployments                                  public
  deployments.get                    GET     /stacks/:stack_id/deployments/:deployment_id                   public
  deployments.create                 POST    /stacks/:stack_id/deployments                                  redeploy
  deployments.cancel                 DELETE  /stacks/:stack_id/deployments/:deployment_id                   redeploy

  variants.list                      GET     /stacks/:stack_id/application_variants                         redeploy
  variants.update                    PUT     /stacks/:stack_id/application_variants/:id                     redeploy
  variants.delete                    DELETE  /stacks/:stack_id/application_variants/:id                     redeploy

  processes.list                     GET     /stacks/:stack_id/processes                                    public
  processes.get                      GET     /stacks/:stack_id/processes/:id                                public
  processes.scale                    POST    /stacks/:stack_id/processes/:id/scale                          public

  tags.list                          GET     /tags/:entity_type/:entity_id                                  public
  tags.replace                       POST    /tags/:entity_type/:entity_id                                  public
  tags.patch                         PATCH   /tags/:entity_type/:entity_id                                  public
  tags.clear                         DELETE  /tags/:entity_type/:entity_id                                  public

  clusters.list                      GET     /clusters                                                      public
  clusters.get                       GET     /clusters/:id                                                  public
  clusters.create                    POST    /clusters                                                      redeploy
  clusters.reboot                    POST    /clusters/:id/reboot_servers                                   admin

  databases.list                     GET     /stacks/:stack_id/server_groups/:server_group_id/databases     public
  databases.create                   POST    /stacks/:stack_id/server_groups/:server_group_id/databases     admin
  databases.delete                   DELETE  /stacks/:stack_id/server_groups/:server_group_id/databases/:id admin

  databaseUsers.list                 GET     /stacks/:stack_id/server_groups/:server_group_id/database_users     public
  databaseUsers.create               POST    /stacks/:stack_id/server_groups/:server_group_id/database_users     admin
  databaseUsers.regeneratePassword   POST    /stacks/:stack_id/server_groups/:server_group_id/database_users/:id/regenerate_password admin
  databaseUsers.delete               DELETE  /stacks/:stack_id/server_groups/:server_group_id/database_users/:id admin

  reference.clouds                   GET     /reference/clouds                                              none
  reference.webserverModules         GET     /reference/webserver_modules                                   none
`);

/**
 * What this version has: id, envelope of the reply, parameters with `?` where they may be left out. Where the
 * description lists every parameter as optional (variants, databases, database users), those without which the call
 * means nothing are required here. `page` is missing: the tool follows pages by itself.
 */
const built = table(`
  accounts.list                      page
  accounts.get                       one           id include_servers?
  accounts.otp                       one

  users.get                          one           id
  users.list                         page
  users.update                       bare          id access_profile
  devices.create                     one           id device_type sub_type token
  devices.update                     nothing       id device_type sub_type token
  devices.delete                     nothing       id token

  gateways.list                      page          account_id
  gateways.create                    acknowledged  account_id name username? address? private_ip? content? ttl?
  gateways.update                    acknowledged  account_id id name? username? address? private_ip? content? ttl?
  gateways.delete                    nothing       account_id id

  clusters.list                      page
  clusters.get                       one           id show_log?
  clusters.create                    opaque
  clusters.reboot                    one           id strategy? group?

  backups.list                       page          id group? db_type?
  backups.get                        one           stack_id id
  backups.files                      page          stack_id backup_id
  backups.link                       one           stack_id backup_id id
  backups.create                     acknowledged  stack_id db_type? frequency? keep_count? gzip? excluded_tables? run_on_replica_server?
  backups.import                     acknowledged  stack_id group db_type remote_url

  environments.list                  page          stack_id
  environments.get                   one           stack_id env_var_id
  environments.create                one           stack_id key value
  environments.update                one           stack_id env_var_key value
  environments.delete                acknowledged  stack_id env_var_key

  stackSettings.list                 page          stack_id
  stackSettings.get                  one           stack_id id
  stackSettings.update               one           stack_id id value

  servers.list                       page          stack_id
  servers.get                        one           stack_id server_id
  servers.reboot                     acknowledged  stack_id server_id
  serverSettings.list                page          stack_id server_id
  serverSettings.get                 one           stack_id server_id id
  serverSettings.update              one           stack_id server_id id value

  deployments.list                   page          stack_id
  deployments.get                    one           stack_id deployment_id
  deployments.create                 one           stack_id git_ref? services? deployment_profile? user_reference?
  deployments.cancel                 acknowledged  stack_id deployment_id

  variants.list                      rows          stack_id
  variants.update                    acknowledged  stack_id id operation canary_percentage?
  variants.delete                    acknowledged  stack_id id

  processes.list                     page          stack_id server_uid?
  processes.get                      sole          stack_id id
  processes.scale                    sole          stack_id id process_name? server_count?

  tags.list                          sole          entity_type entity_id
  tags.replace                       sole          entity_type entity_id tags
  tags.patch                         sole          entity_type entity_id operations
  tags.clear                         sole          entity_type entity_id

  databases.list                     page          stack_id server_group_id
  databases.create                   one           stack_id server_group_id database_name database_user_ids?
  databases.delete                   one           stack_id server_group_id id

  databaseUsers.list                 page          stack_id server_group_id show_password?
  databaseUsers.create               one           stack_id server_group_id username database_ids? user_type?
  databaseUsers.regeneratePassword   one           stack_id server_group_id id
  databaseUsers.delete               one           stack_id server_group_id id

  reference.clouds                   opaque        cloud? filter?
  reference.webserverModules         opaque
`);

/** Offered although the description does not show them. */
const outside = ['actions.get', 'actions.list', 'pings.auth', 'serverGroups.list', 'stacks.get', 'stacks.list'];

/** The fields of what comes back, by an operation that returns them. */
const fields = table(`
  accounts.get            id owner created_at_iso updated_at_iso stack_count used_clouds current_account friendly_name unmanaged_servers server_registration_script configstore_namespace
  accounts.otp            ok otp
  users.get               id email primary_account_id locked access_profile uses_tfa timezone has_valid_phone developer_program gitprovider_login last_login devices created_at updated_at cloud_status
  users.list              id email primary_account_id locked uses_tfa timezone has_valid_phone developer_program created_at updated_at
  users.update            id email primary_account_id locked access_profile uses_tfa timezone has_valid_phone developer_program gitprovider_login last_login devices created_at updated_at cloud_status
  devices.create          device_type sub_type token enabled created_at updated_at created_at_iso updated_at_iso
  gateways.list           id name username address private_ip ttl content created_at_iso updated_at_iso created_by updated_by
  backups.list            id server_uid db_type database_name file_base backup_date_iso backup_status backup_result restore_status restore_result created_at_iso updated_at_iso verify_status verify_result storage_path skip_tables backup_size
  backups.files           id name
  backups.link            ok public_url
  clusters.list           id uid name environment cloud status health kubernetes_version node_count created_at updated_at created_at_iso updated_at_iso
  clusters.get            id uid name environment cloud region status health kubernetes_version node_count nodes created_at updated_at created_at_iso updated_at_iso
  clusters.reboot         id status action_type resource_type resource_id started_via started_at finished_at finished_success finished_message created_at updated_at
  environments.get        id key value readonly created_at updated_at is_password is_generated history
  stackSettings.list      id key value readonly created_at updated_at
  stackSettings.get       key value
  stackSettings.update    id user resource_type action resource_id started_via started_at finished_at finished_success finished_message
  servers.get             uid vendor_uid name address distro distro_version dns_record user_name server_type server_roles server_group_id stack_uid has_agent params created_at updated_at region availability_zone ext_ipv4 int_ipv4 int_ipv6 ext_ipv6 health_state
  serverSettings.list     id key value readonly warning_text created_at updated_at
  serverSettings.get      key value
  serverSettings.update   id user resource_type action resource_id started_via started_at finished_at finished_success finished_message
  deployments.get         id triggered_by triggered_via started_at finished_at outcome git_hash deploy_session deploy_type is_head is_live reverted reverted_by reverted_at is_deploying commit_url
  deployments.create      id message queued
  variants.list           id uid variant_type git_hash created_at percentage
  processes.list          md5 name command servers
  processes.scale         id user resource_type action resource_id started_via started_at finished_at finished_success finished_message
  tags.list               entity_type entity_id tags created_at_iso updated_at_iso
  databases.list          uid name charset collation size_bytes created_at users
  databaseUsers.list      uid username databases user_type created_at
  databases.create        id status action_type resource_type resource_id started_via started_at finished_at finished_success finished_message created_at updated_at
  actions.get             id user resource_type action resource_id started_via started_at finished_at finished_success finished_message
`);

/** The closed sets of words the description gives for a parameter. */
const choices = table(`
  backups.list            db_type      mysql postgresql redis mongodb
  reference.clouds        cloud        aws azure_rm digitalocean googlecloud hetzner linode ovh vultr
  reference.clouds        filter       clouds clouds_full regions regions_full sizes sizes_full
  variants.update         operation    commit percentage
  tags.list               entity_type  server loadbalancer
  databaseUsers.create    user_type    application readonly
`);

const operations = new Map(everyOperation());

function table(text: string): readonly (readonly [string, ...string[]])[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => line.trim().split(/\s+/) as [string, ...string[]]);
}

function operationOf(id: string) {
  const operation = operations.get(id);
  if (!operation) throw new Error(`the catalogue has no ${id}`);
  return operation;
}

function wordsOf(params: Fields): readonly string[] {
  return Object.entries(params).map(([name, { presence }]) => (presence === 'optional' ? `${name}?` : name));
}

describe('the description', () => {
  it('has 60 lines, each with its own id', () => {
    expect(described).toHaveLength(60);
    expect(new Set(described.map(([id]) => id)).size).toBe(60);
  });

  it('is quoted exactly by every operation in the catalogue', () => {
    const lines = new Map(described.map(([id, ...line]) => [id, line]));
    for (const [id, { method, path, scope, outside }] of operations) {
      if (outside) continue;
      const [describedMethod, describedPath, scopes = ''] = lines.get(id) ?? [];
      expect([id, method, path]).toEqual([id, describedMethod, describedPath]);
      expect(scopes.split('|'), id).toContain(scope);
    }
  });

  it('is built whole, line by line, and no further', () => {
    const inside = [...operations].filter(([, operation]) => !operation.outside).map(([id]) => id);
    expect(inside.toSorted()).toEqual(described.map(([id]) => id).toSorted());
    expect(built.map(([id]) => id).toSorted()).toEqual(described.map(([id]) => id).toSorted());
  });

  it('is left only where the table says', () => {
    const strangers = [...operations].filter(([, operation]) => operation.outside).map(([id]) => id);
    expect(strangers.toSorted()).toEqual(outside);
  });

  it.each(built)('%s returns %s and takes these parameters', (id, envelope, ...params) => {
    const operation = operationOf(id);
    expect(operation.reply.envelope).toBe(envelope);
    expect(wordsOf(operation.params).toSorted()).toEqual(params.toSorted());
  });

  it.each(fields)('%s has every described field', (id, ...names) => {
    expect(Object.keys(operationOf(id).reply.record?.fields ?? {})).toEqual(expect.arrayContaining(names));
  });

  it.each(choices)('%s takes for %s the described words', (id, name = '', ...words) => {
    expect(operationOf(id).params[name]?.choices).toEqual(words);
  });

  it('gives the limits their numbers', () => {
    expect(catalogue.deployments.create.params.user_reference.maxLength).toBe(255);
    expect(catalogue.variants.update.params.canary_percentage.range).toEqual([0, 100]);
    expect(catalogue.devices.create.params.device_type.range).toEqual([1, 2]);
    expect(catalogue.devices.create.params.sub_type.range).toEqual([1, 3]);
  });
});
