import { expect, test } from 'vitest';
import { run } from '../support/stackops.ts';
import { transcript } from '../support/transcript.ts';

test('as data a user is one request, also at a terminal', async () => {
  const { stderr } = await run(['user', 'get', '7', '--json', '-v', '--sandbox'], { terminal: 80 });
  expect(stderr.match(/GET \S+/g)).toEqual(['GET /users/7']);
});

test('users are listed', () =>
  transcript(`
    100$ stackops user list
    EMAIL                 ACCOUNT  LOCKED  TWO-FACTOR  TIMEZONE       ID
    ada@harbour.example        42  no      yes         Europe/Berlin   7
    mara@harbour.example       42  no      yes         Europe/Berlin   8
    iven@harbour.example       42  no      no          Europe/Berlin   9
    otto@harbour.example       42  yes     no          Europe/Berlin  12
    $ stackops user list -q
    7
    8
    9
    12
    $ STACKOPS_TOKEN=sandbox_users stackops user list
    ! error: access denied (403): the token has no admin scope
    ! hint: STACKOPS_TOKEN overrides the saved token: set another token, or unset it
    = 5
  `));

test('a user is shown by id or address, with rights, roles and devices', () =>
  transcript(`
    200$ stackops user get ada@harbour.example
    ID:                       7
    Email:                    ada@harbour.example
    Primary account ID:       42
    Locked:                   no
    Two-factor:               yes
    Timezone:                 Europe/Berlin
    Valid phone:              yes
    Developer program:        no
    Created:                  2y ago (2024-02-05T09:05:00Z)
    Updated:                  35d ago (2026-03-30T11:20:00Z)
    Git provider sign-in:     no
    Last login:               18d ago (2026-04-15T16:45:00Z)
    Cloud status:             deployed
    Rights:                   can_create_stack, can_admin_users, can_payment, can_add_cloud_key, can_del_cloud_key, can_view_acc_notifications, can_edit_acc_notifications, can_view_audit,
                              can_view_docker_img_key, can_del_ssh_key, can_edit_personal_token, can_del_authorized_app, can_view_custom_env, can_edit_custom_env, can_add_developers_app,
                              can_del_developers_app, can_edit_git_key, can_edit_gateway
    Default roles:            Administrator
    Role in shop/production:  Administrator
    Device 1:                 device_type=ios, sub_type=iphone, token=***, enabled=yes, created_at=244d ago, updated_at=244d ago
    200$ stackops user get 7 --reveal
    ID:                       7
    Email:                    ada@harbour.example
    Primary account ID:       42
    Locked:                   no
    Two-factor:               yes
    Timezone:                 Europe/Berlin
    Valid phone:              yes
    Developer program:        no
    Created:                  2y ago (2024-02-05T09:05:00Z)
    Updated:                  35d ago (2026-03-30T11:20:00Z)
    Git provider sign-in:     no
    Last login:               18d ago (2026-04-15T16:45:00Z)
    Cloud status:             deployed
    Rights:                   can_create_stack, can_admin_users, can_payment, can_add_cloud_key, can_del_cloud_key, can_view_acc_notifications, can_edit_acc_notifications, can_view_audit,
                              can_view_docker_img_key, can_del_ssh_key, can_edit_personal_token, can_del_authorized_app, can_view_custom_env, can_edit_custom_env, can_add_developers_app,
                              can_del_developers_app, can_edit_git_key, can_edit_gateway
    Default roles:            Administrator
    Role in shop/production:  Administrator
    Device 1:                 device_type=ios, sub_type=iphone, token=sandbox-device-ada-phone, enabled=yes, created_at=244d ago, updated_at=244d ago
    $ stackops user get 9
    ID:⇥9
    Email:⇥iven@harbour.example
    Primary account ID:⇥42
    Locked:⇥no
    Two-factor:⇥no
    Timezone:⇥Europe/Berlin
    Valid phone:⇥no
    Developer program:⇥no
    Created:⇥2024-02-05T09:05:00Z
    Updated:⇥2026-03-30T11:20:00Z
    Git provider sign-in:⇥yes
    Last login:⇥2026-04-02T16:01:00Z
    Cloud status:⇥deployed
    Rights:⇥can_view_custom_env
    Default roles:⇥Viewer
    Role in 5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60:⇥Viewer
    $ stackops user get 7 --json --fields devices
    {"devices":[{"device_type":1,"sub_type":1,"token":"sandbox-device-ada-phone","enabled":true,"created_at":"2025-09-02 07:15:00 UTC","updated_at":"2025-09-02 07:15:00 UTC","created_at_iso":"2025-09-02T07:15:00Z","updated_at_iso":"2025-09-02T07:15:00Z"}]}
    $ stackops user get ida@harbour.example
    ! error: user "ida@harbour.example" not found; did you mean "ada@harbour.example"?
    ! hint: stackops user list
    = 3
    $ stackops user get 99
    ! error: user 99 not found
    ! hint: stackops user list
    = 3
  `));

test('an access profile is changed, and only what differs is sent', () =>
  transcript(`
    $ stackops user update mara@harbour.example --set can_create_stack=false --set can_payment=true --set can_audit=true
    ! error: unknown right "can_audit"
    ! hint: rights: can_create_stack, can_admin_users, can_payment, can_add_cloud_key, can_del_cloud_key, can_view_acc_notifications, can_edit_acc_notifications, can_view_audit, can_view_docker_img_key, can_del_ssh_key, can_edit_personal_token, can_del_authorized_app, can_view_custom_env, can_edit_custom_env, can_add_developers_app, can_del_developers_app, can_edit_git_key, can_edit_gateway
    = 2
    $ stackops user update mara@harbour.example --set can_create_stack=false,can_payment=true,can_view_custom_env=true --role shop=Developer --role 0c5b7e9d1f2a43586b7c8d9e0f1a2b3c=Viewer --dry-run
    PUT http://sandbox.localhost/api/3/users/8
    Content-Type: application/json

    {"access_profile":{"account_profile":{"can_create_stack":false,"can_payment":true},"stack_profiles":[{"stack_uid":"5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60","role":"Developer"},{"stack_uid":"0c5b7e9d1f2a43586b7c8d9e0f1a2b3c","role":"Viewer"}]}}
    $ stackops user update mara@harbour.example --set can_create_stack=false,can_payment=true --role shop=Developer --role 'blog/staging=Release manager' -y
    ! undo: stackops user update mara@harbour.example --set can_create_stack=true --set can_payment=false --role 5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60=Deployer --role a81b6c0d4e2f49738c5d6e7f80912a3b=Administrator
    user mara@harbour.example: can_create_stack true -> false
    user mara@harbour.example: can_payment false -> true
    user mara@harbour.example: role in shop/production Deployer -> Developer
    user mara@harbour.example: role in blog/staging Administrator -> Release manager
    $ stackops user update 8 --role shop=Developer --set can_payment=true
    user mara@harbour.example unchanged
    $ stackops user update 8 --role shop=Developer --set can_payment=true --json
    {"id":8,"email":"mara@harbour.example","change":"unchanged","before":{},"after":{},"action":null,"message":null,"error":null}
    $ stackops user update 8 --role shop=deployer --json -y
    ! {"warning":"\\"deployer\\" is not a standard role (did you mean \\"Deployer\\"?)"}
    {"id":8,"email":"mara@harbour.example","change":"updated","before":{"roles":{"5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60":"Developer"}},"after":{"roles":{"5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60":"deployer"}},"action":null,"message":null,"error":null}
    $ stackops user get 8
    ID:⇥8
    Email:⇥mara@harbour.example
    Primary account ID:⇥42
    Locked:⇥no
    Two-factor:⇥yes
    Timezone:⇥Europe/Berlin
    Valid phone:⇥yes
    Developer program:⇥no
    Created:⇥2024-02-05T09:05:00Z
    Updated:⇥2026-05-04T12:00:00Z
    Git provider sign-in:⇥no
    Last login:⇥2026-04-14T09:12:00Z
    Cloud status:⇥deployed
    Rights:⇥can_payment, can_view_acc_notifications, can_view_custom_env, can_edit_custom_env
    Default roles:⇥Deployer
    Role in 5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60:⇥deployer
    Role in a81b6c0d4e2f49738c5d6e7f80912a3b:⇥Release manager
    $ STACKOPS_TOKEN=sandbox_users stackops user update 8 --set can_payment=false
    ! error: access denied (403): the token has no admin scope
    ! hint: STACKOPS_TOKEN overrides the saved token: set another token, or unset it
    = 5
  `));

test('only a right or a role that is granted needs a confirmation', () =>
  transcript(`
    80$ stackops user update mara@harbour.example --set can_payment=true,can_create_stack=false --role shop=Developr
    < n
    ! warning: "Developr" is not a standard role (did you mean "Developer"?)
    ! Grant rights to user mara@harbour.example (can_payment: false -> true, role in shop/production: Deployer -> Developr)? [y/N]
    ! error: cancelled; nothing was changed
    = 1
    80$ stackops user update 8 --set can_payment=true --role shop=Developr
    < y
    ! warning: "Developr" is not a standard role (did you mean "Developer"?)
    ! Grant rights to user mara@harbour.example (can_payment: false -> true, role in shop/production: Deployer -> Developr)? [y/N]
    ! undo: stackops user update 8 --set can_payment=false --role 5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60=Deployer
    user mara@harbour.example: can_payment false -> true
    user mara@harbour.example: role in shop/production Deployer -> Developr
    $ stackops user update 8 --set can_create_stack=true,can_payment=false
    ! undo: stackops user update 8 --set can_payment=true
    user mara@harbour.example: can_payment true -> false
    $ stackops user update 8 --set can_create_stack=false --json --fields change,before.can_create_stack,after.can_create_stack
    {"change":"updated","before":{"can_create_stack":true},"after":{"can_create_stack":false}}
    $ stackops user update 8 --set can_payment=true
    ! error: "user update" needs -y (no terminal); nothing was changed
    ! hint: stackops user update 8 --set can_payment=true -y
    = 2
    $ stackops user update 9 --from-file -
    < {"account_profile":{"default_roles":["Deployer"]}}
    ! error: "user update" needs -y (no terminal); nothing was changed
    ! hint: stackops user update 9 --from-file - -y
    = 2
    $ stackops user update 9 --from-file -
    < {"account_profile":{"default_roles":[]}}
    user iven@harbour.example: default_roles Viewer -> - (no undo)
  `));

test('rights and roles that make no sense cost no request', () =>
  transcript(`
    $ stackops user update 8
    ! error: nothing to change: give --set, --role or --from-file
    = 2
    $ stackops user update 8 --set can_create_stak=true
    ! error: unknown right "can_create_stak" (did you mean "can_create_stack"?)
    ! hint: rights: can_create_stack, can_admin_users, can_payment, can_add_cloud_key, can_del_cloud_key, can_view_acc_notifications, can_edit_acc_notifications, can_view_audit, can_view_docker_img_key, can_del_ssh_key, can_edit_personal_token, can_del_authorized_app, can_view_custom_env, can_edit_custom_env, can_add_developers_app, can_del_developers_app, can_edit_git_key, can_edit_gateway
    = 2
    $ stackops user update 8 --set can_create_stack=yes
    ! error: --set can_create_stack must be true or false, not "yes"
    = 2
    $ stackops user update 8 --set can_create_stack
    ! error: --set must be RIGHT=true or RIGHT=false, not "can_create_stack"
    = 2
    $ stackops user update 8 --set can_create_stack=true --set can_create_stack=false
    ! error: --set gives can_create_stack twice with different values
    = 2
    $ stackops user update 8 --set default_roles=Viewer
    ! error: default_roles is a list: change it with --from-file
    = 2
    $ stackops user update 8 --role shop
    ! error: --role must be STACK=ROLE, not "shop"
    = 2
    $ stackops user update 8 --role shop=
    ! error: --role needs a value after "shop="
    = 2
    $ stackops user update 8 --role shp=Viewer
    ! error: stack "shp" not found; did you mean "shop"?
    ! hint: stackops stack list
    = 3
    $ stackops user update 8 --role blog=Viewer
    ! error: 2 stacks are called "blog": blog/staging, blog/production
    ! hint: stackops stack list
    = 3
    $ stackops user update 8 --role shop=Viewer --role shop/production=Deployer
    ! error: --role gives stack shop/production twice with different roles
    = 2
  `));

test('a file is held against the profile', () =>
  transcript(`
    $ stackops user update 9 --from-file - -y
    < {"id":8,"email":"mara@harbour.example","access_profile":{"account_profile":{"can_view_custom_env":true,"can_view_audit":true,"default_roles":["Deployer","Viewer"]},"stack_profiles":[{"stack_uid":"a81b6c0d4e2f49738c5d6e7f80912a3b","role":"Developer"}]}}
    ! warning: the role Viewer in stack 5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60 stays: this command cannot remove roles
    ! undo: stackops user update 9 --set can_view_audit=false
    user iven@harbour.example: can_view_audit false -> true
    user iven@harbour.example: default_roles Viewer -> Deployer, Viewer (no undo)
    user iven@harbour.example: role in blog/staging - -> Developer (no undo)
    $ stackops user update 9 --from-file -
    < {"account_profile":{"can_view_audit":true,"default_roles":["Viewer","Deployer"]}}
    user iven@harbour.example unchanged
    $ stackops user update 9 --set can_payment=true --from-file - -y
    < {"account_profile":{"can_view_audit":false,"can_payment":false}}
    ! undo: stackops user update 9 --set can_view_audit=true --set can_payment=false
    user iven@harbour.example: can_view_audit true -> false
    user iven@harbour.example: can_payment false -> true
    $ stackops user update 9 --from-file -
    < {"account_profile":{"can_view_audit":"false"}}
    ! error: can_view_audit must be true or false
    = 2
    $ stackops user update 9 --from-file -
    < {"account_profile":{"can_view_adit":false}}
    ! error: unknown right "can_view_adit" (did you mean "can_view_audit"?)
    = 2
    $ stackops user update 9 --from-file -
    < {"account_profile":{"default_roles":"Viewer"}}
    ! error: default_roles must be a list of role names
    = 2
    $ stackops user update 9 --from-file -
    < {"stack_profiles":[{"stack_uid":"a81b6c0d4e2f49738c5d6e7f80912a3b"}]}
    ! error: stack_profiles must be a list of objects with stack_uid and role
    = 2
    $ stackops user update 9 --from-file -
    < {"stack_profiles":[],"override":true}
    ! error: "override" of an access profile cannot be changed
    = 2
    $ stackops user update 9 --from-file -
    < {"email":"iven@harbour.example"}
    ! error: stdin contains neither a user nor an access profile
    ! hint: user get --json prints the expected format
    = 2
    $ stackops user update 9 --from-file -
    < {"account_profile":{can_payment}}
    ! error: stdin: invalid JSON at line 1, column 21
    = 2
    $ stackops user update 9 --from-file /nowhere/iven.json
    ! error: cannot read /nowhere/iven.json: file not found
    = 2
  `));
