import { test } from 'vitest';
import { transcript } from '../support/transcript.ts';

test('a device is registered, changed and deleted, and its token is shown nowhere', () =>
  transcript(`
    $ stackops user device register 8 --type ios --sub-type iphone --token-stdin
    < token-of-maras-phone
    ! undo: stackops user device delete 8 --token-stdin
    device of user 8 created (ios, iphone)
    $ stackops user device register mara@harbour.example --type ios --sub-type ipad --token-stdin -q
    < token-of-maras-tablet
    $ stackops user device update 8 --type ios --sub-type ipod --token-stdin
    < token-of-maras-phone
    ! undo: stackops user device update 8 --type ios --sub-type iphone --token-stdin
    device of user 8 updated (ios, iphone -> ios, ipod)
    $ stackops user device update 8 --type ios --sub-type ipod --token-stdin
    < token-of-maras-phone
    device of user 8 unchanged (ios, ipod)
    $ stackops user device update 8 --type ios --sub-type iphone --token-stdin --json
    < token-of-maras-phone
    {"user_id":8,"change":"updated","before":{"device_type":1,"sub_type":3},"after":{"device_type":1,"sub_type":1},"action":null,"message":null,"error":null}
    $ stackops user device update 8 --type ios --sub-type ipod --token-stdin -q
    < token-of-maras-phone
    200$ stackops user get 8
    ID:                       8
    Email:                    mara@harbour.example
    Primary account ID:       42
    Locked:                   no
    Two-factor:               yes
    Timezone:                 Europe/Berlin
    Valid phone:              yes
    Developer program:        no
    Created:                  2y ago (2024-02-05T09:05:00Z)
    Updated:                  35d ago (2026-03-30T11:20:00Z)
    Git provider sign-in:     no
    Last login:               20d ago (2026-04-14T09:12:00Z)
    Cloud status:             deployed
    Rights:                   can_create_stack, can_view_acc_notifications, can_view_custom_env, can_edit_custom_env
    Default roles:            Deployer
    Role in shop/production:  Deployer
    Role in blog/staging:     Administrator
    Device 1:                 device_type=ios, sub_type=ipod, token=***, enabled=yes, created_at=0s ago, updated_at=0s ago
    Device 2:                 device_type=ios, sub_type=ipad, token=***, enabled=yes, created_at=0s ago, updated_at=0s ago
    $ stackops user device delete 8 --token-stdin --dry-run
    < token-of-maras-phone
    DELETE http://sandbox.localhost/api/3/users/8/devices/***
    $ stackops user device delete 8 --token-stdin --curl
    < token-of-maras-phone
    ! replace *** before you run it
    curl --fail-with-body -X DELETE -H "Authorization: Bearer $STACKOPS_TOKEN" -H 'Accept: application/json' 'http://sandbox.localhost/api/3/users/8/devices/***'
    $ stackops user device delete 8 --token-stdin
    < token-of-maras-phone
    device of user 8 deleted (ios, ipod)
    $ stackops user device delete 8 --token-stdin
    < token-of-maras-phone
    ! error: user 8 has no device with this token; nothing was sent
    ! hint: stackops user get 8
    = 3
    $ stackops user device update 8 --type ios --sub-type ipod --token-stdin
    < token-of-maras-phone
    ! error: device of user 8 not found: no device has this token
    ! hint: stackops user get 8
    = 3
    $ stackops user device delete mara@harbour.example --token-stdin --json
    < token-of-maras-tablet
    {"user_id":8,"change":"deleted","before":{"device_type":1,"sub_type":2,"enabled":true,"created_at":"2026-05-04 12:00:00 UTC","created_at_iso":"2026-05-04T12:00:00Z","updated_at":"2026-05-04 12:00:00 UTC","updated_at_iso":"2026-05-04T12:00:00Z"},"after":null,"action":null,"message":null,"error":null}
  `));

test('android is taken with a warning', () =>
  transcript(`
    $ stackops user device register 8 --type android --sub-type iphone --token-stdin --dry-run
    < token-of-maras-phone
    ! warning: the service does not notify Android devices yet
    POST http://sandbox.localhost/api/3/users/8/devices
    Content-Type: application/json

    {"device_type":2,"sub_type":1,"token":"***"}
    $ stackops user device register 8 --type android --sub-type iphone --token-stdin --json --fields change,after
    < token-of-maras-phone
    ! {"warning":"the service does not notify Android devices yet"}
    {"change":"created","after":{"device_type":2,"sub_type":1,"enabled":false,"created_at":"2026-05-04 12:00:00 UTC","created_at_iso":"2026-05-04T12:00:00Z","updated_at":"2026-05-04 12:00:00 UTC","updated_at_iso":"2026-05-04T12:00:00Z"}}
  `));

test('what cannot be a device costs no request', () =>
  transcript(`
    $ stackops user device register 8 --type ios --sub-type ifone --token-stdin
    < token-of-maras-phone
    ! error: --sub-type must be one of iphone, ipad, ipod, not "ifone"
    = 2
    $ stackops user device register 8 --type ios --token-stdin
    < token-of-maras-phone
    ! error: missing flag --sub-type <iphone|ipad|ipod>: Model.
    ! hint: stackops user device register --help
    = 2
    $ stackops user device register 8 --type ios --sub-type iphone
    ! error: missing flag --token-file <file> or --token-stdin: Token of the device.
    ! hint: stackops user device register --help
    = 2
    $ stackops user device register 8 --type ios --sub-type iphone --token token-of-maras-phone
    ! error: unknown option "--token"
    ! hint: stackops user device register --help
    = 2
    $ stackops user device register 8 --type ios --sub-type iphone --token-stdin
    <
    ! error: --token-stdin must not be empty
    = 2
    $ stackops user device delete 8 --token-stdin
    < two words
    ! error: the device token contains white space; nothing was changed
    = 2
    $ stackops user device register 7 --type ios --sub-type iphone --token-stdin
    < sandbox-device-ada-phone
    ! error: the service refused the request (400): a device with this token already exists
    = 6
  `));
