import { test } from 'vitest';
import { transcript } from '../support/transcript.ts';

test('stacks are listed, narrow, wide and piped', () =>
  transcript(`
    80$ stackops stack list
    NAME  ENVIRONMENT  STATUS             HEALTH   LAST ACTIVITY
    shop  production   deployed           healthy  20d ago
    blog  staging      deployment failed  healthy  20d ago
    blog  production   deployed           healthy  20d ago
    200$ stackops stack list
    NAME  ENVIRONMENT  STATUS             HEALTH   LAST ACTIVITY  UID
    shop  production   deployed           healthy  20d ago        5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60
    blog  staging      deployment failed  healthy  20d ago        a81b6c0d4e2f49738c5d6e7f80912a3b
    blog  production   deployed           healthy  20d ago        b92c7d1e5f30584a9d6e7f8091a2b3c4
    $ stackops stack list
    shop⇥production⇥deployed⇥healthy⇥2026-04-14T09:34:10Z⇥5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60
    blog⇥staging⇥deployment failed⇥healthy⇥2026-04-14T09:34:10Z⇥a81b6c0d4e2f49738c5d6e7f80912a3b
    blog⇥production⇥deployed⇥healthy⇥2026-04-14T09:34:10Z⇥b92c7d1e5f30584a9d6e7f8091a2b3c4
    $ stackops stack list -q
    5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60
    a81b6c0d4e2f49738c5d6e7f80912a3b
    b92c7d1e5f30584a9d6e7f8091a2b3c4
    $ stackops stack list --json --fields name,environment,status
    [{"name":"shop","environment":"production","status":1},{"name":"blog","environment":"staging","status":2},{"name":"blog","environment":"production","status":1}]
  `));

test('one stack is shown to people with times in words and its hook masked', () =>
  transcript(`
    80$ stackops stack get shop
    UID:               5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60
    Name:              shop
    Environment:       production
    Status:            deployed
    Health:            healthy
    Account ID:        42
    Account name:      Harbour Books
    Repository:        git@git.example:harbour/shop.git
    Branch:            main
    Cloud:             hetzner
    FQDN:              shop.harbour.example
    Language:          ruby
    Framework:         rails
    Backend:           nginx
    Busy:              no
    Cluster:           no
    Maintenance mode:  no
    Redeploy hook:     ***
    Last activity:     20d ago (2026-04-14T09:34:10Z)
    Created:           2y ago (2024-02-06T08:15:00Z)
    Updated:           20d ago (2026-04-14T09:34:10Z)
  `));

test('one stack is shown to programs as it is', () =>
  transcript(`
    $ stackops stack get blog/staging
    UID:⇥a81b6c0d4e2f49738c5d6e7f80912a3b
    Name:⇥blog
    Environment:⇥staging
    Status:⇥deployment failed
    Health:⇥healthy
    Account ID:⇥42
    Account name:⇥Harbour Books
    Repository:⇥git@git.example:harbour/blog.git
    Branch:⇥develop
    Cloud:⇥hetzner
    FQDN:⇥blog.staging.harbour.example
    Language:⇥javascript
    Framework:⇥next
    Backend:⇥nginx
    Busy:⇥no
    Cluster:⇥no
    Maintenance mode:⇥no
    Redeploy hook:⇥https://hooks.harbour.example/redeploy/ed74b88b2cbd3dbaba65ced2b564504f
    Last activity:⇥2026-04-14T09:34:10Z
    Created:⇥2024-02-06T08:15:00Z
    Updated:⇥2026-04-14T09:34:10Z
    $ stackops stack get 5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60 --json --fields uid,name,redeploy_hook
    {"uid":"5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60","name":"shop","redeploy_hook":"https://hooks.harbour.example/redeploy/55a091d901dd0139d59929158ee105d4"}
  `));

test('a default stack is kept in the profile', () =>
  transcript(`
    $ stackops stack use shop --dry-run
    ! would set the default stack of profile sandbox to shop
    $ stackops variant list -q
    ! error: which stack? shop, blog/staging, blog/production
    ! hint: stackops variant list -q -s shop
    = 2
    $ stackops stack use shop
    ! Default stack is now shop.
    $ stackops variant list -q
    va-active
    va-canary
    va-preview
    $ stackops stack use shop --json
    ! {"note":"Default stack is now shop."}
    {"profile":"sandbox","stack":"5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60"}
    $ stackops stack use blog/staging -q
    $ stackops variant list -q
    va-blog
    va-green
    $ stackops variant list -q -s shop
    va-active
    va-canary
    va-preview
  `));
