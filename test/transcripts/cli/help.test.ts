import { test } from 'vitest';
import { transcript } from '../../support/transcript.ts';

test('a group shows what it holds', () =>
  transcript(`
    $ stackops stack
    List stacks; read and change their variables and settings.

    Usage: stackops stack <command> [flags]

    Commands:
      list      List the stacks.
      get       Show one stack.
      use       Set the default stack of the profile.
      env       Environment variables of a stack.
      settings  Settings of a stack.

    Notes:    A stack is named by its UID or exact name, or as name/environment
              where two share a name. \`stack use\` sets the default of the profile;
              -s and STACKOPS_STACK override it.

    Help on one command: stackops stack <command> --help
    $ stackops stack --help
    List stacks; read and change their variables and settings.

    Usage: stackops stack <command> [flags]

    Commands:
      list      List the stacks.
      get       Show one stack.
      use       Set the default stack of the profile.
      env       Environment variables of a stack.
      settings  Settings of a stack.

    Notes:    A stack is named by its UID or exact name, or as name/environment
              where two share a name. \`stack use\` sets the default of the profile;
              -s and STACKOPS_STACK override it.

    Help on one command: stackops stack <command> --help
    $ stackops help stack
    List stacks; read and change their variables and settings.

    Usage: stackops stack <command> [flags]

    Commands:
      list      List the stacks.
      get       Show one stack.
      use       Set the default stack of the profile.
      env       Environment variables of a stack.
      settings  Settings of a stack.

    Notes:    A stack is named by its UID or exact name, or as name/environment
              where two share a name. \`stack use\` sets the default of the profile;
              -s and STACKOPS_STACK override it.

    Help on one command: stackops stack <command> --help
    $ stackops db user
    Database users of a server group.

    Usage: stackops db user <command> [flags]

    Commands:
      list                 List the database users of a server group.
      create               Create a database user with a random password.
      regenerate-password  Set a new random password for a database user.
      delete               Delete a database user from all its databases.

    Help on one command: stackops db user <command> --help
  `));

test('a command shows all there is to know', () =>
  transcript(`
    $ stackops help stack env set
    Set environment variables; unchanged ones are skipped.

    Usage: stackops stack env set <KEY=VALUE...> [flags]

    Arguments:
      <KEY=VALUE...>  Name and value, split at the first \`=\`. KEY= sets an empty
                      one.

    Flags:
      --stdin                    Read the value from stdin, less a last newline.
      --from-file <file>         Read the value from a file, less a last newline.
      --raw                      Keep the last newline.
      --apply-strategy <when>    When to apply it (default: service decides). One of
                                 immediately, deployment.
      --redeploy                 Redeploy once, after all changes succeeded.
      --allow-empty              Accept an empty value in place of another, or read.
      -s, --stack <uid or name>  Stack to act on; several: a,b, @FILE or -.

    Examples:
      stackops stack env set A=1 B='x y' -s shop
      stackops stack env set TLS_KEY --from-file key.pem -s shop
      printf %s "$SECRET" | stackops stack env set API_SECRET --stdin -s shop

    Output:   --json --fields --jq --output --quiet; see help output
    Changes:  --dry-run --curl --yes --wait --wait-timeout --poll --keep-going
    Global:   --profile --sandbox --verbose --no-input --help; see help options
    Fields:   key, id, change, before, after, action, message, error
    Notes:    Scope: public, redeploy, admin. Asks with --redeploy; -y confirms.

    Exit codes:
      1   cancelled; some of several changes failed
      3   not found or ambiguous: stack
      8   with --wait or --redeploy: not finished in time, or result not seen
      9   with --wait or --redeploy: the operation failed
      11  outcome unknown: the request was sent, no response
    $ stackops db delete --help
    Delete a database and all its data.

    Usage: stackops db delete <database> [flags]

    Arguments:
      <database>  UID or exact name of the database.

    Flags:
      -s, --stack <uid or name>        Stack to act on.
      -g, --server-group <id or name>  Server group to act on.

    Examples:
      stackops db delete shop_prod -s shop
      stackops db delete db5a1 -s shop --confirm shop_prod

    Output:   --json --fields --jq --output --quiet; see help output
    Changes:  --dry-run --curl --confirm --wait --wait-timeout --poll
    Global:   --profile --sandbox --verbose --no-input --help; see help options
    Fields:   uid, name, change, before, after, action, message, error
    Notes:    Scope: public, admin. Asks you to type the name; --confirm NAME
              confirms, -y does not.

    Exit codes:
      1   cancelled
      3   not found or ambiguous: stack, server group, database
      8   with --wait: not finished within --wait-timeout, or result not seen
      9   with --wait: the operation failed
      11  outcome unknown: the request was sent, no response
    $ stackops deployment list --help
    List the deployments of a stack.

    Usage: stackops deployment list [flags]

    Flags:
      --watch                    Redraw until q is pressed; piped, print changes.
      --every <time>             Time between two reads with --watch (default 15s).
      -s, --stack <uid or name>  Stack to act on; several: a,b, 'web-*', @FILE or -.

    Examples:
      stackops deployment list -s shop --limit 5
      stackops deployment list -s shop --json --fields id,outcome.meaning

    Output:   --json --fields --jq --output --where --sort --limit --quiet; see help
              output
    Global:   --profile --sandbox --verbose --no-input --help; see help options
    Fields:   id, outcome, started_at, finished_at, git_hash, triggered_by,
              triggered_via, deploy_type, is_live, is_head, is_deploying,
              deploy_session, reverted, reverted_by, reverted_at, commit_url
    Notes:    Scope: public.

    Values:
      outcome.code           0=pending, 1=success, 2=failed
      outcome.meaning        pending, success, failed, cancelled
      triggered_via.code     0=web
      triggered_via.meaning  web, api, hook
      deploy_type.code       0=build
      deploy_type.meaning    build, redeploy, scale, first_build, revert

    Exit codes:
      3  not found or ambiguous: stack
  `));

test('topics', () =>
  transcript(`
    $ stackops help exit-codes
    Exit codes

      0    success, also with an empty list, nothing to change, or a closed pipe
      1    any other failure; cancelled; some of several targets failed (11 when the
           outcome of any is unknown)
      2    wrong usage: argument, flag, value, prompt without a terminal, unreadable
           configuration
      3    not found (404), or a name that matches nothing or more than one resource
      4    not signed in, token rejected (401), sign-in denied
      5    access denied (403): the message names the scope the command needs; or
           read-only, or not approved
      6    refused by the service (400, 409, 422)
      7    service unreachable or failing, nothing changed; or connection lost while
           waiting: the operation may continue
      8    still pending, or the result cannot be observed
      9    the operation failed; or \`backup check\` or \`status --exit-code\` found a
           problem
      10   differences found, with --exit-code; \`env check\`: missing or empty
      11   request sent, no response: outcome unknown
      126  the program to run cannot be executed, or its environment is too large
      127  the program to run was not found
      129  ended by a hang-up (SIGHUP)
      130  interrupted by Ctrl-C (SIGINT)
      143  terminated (SIGTERM)

      The help of a command says what a code means there. 129, 130 and 143 are
      signals raised again, so a calling script sees them and stops too.

      stackops variant list -s shop --json > variants.json || echo "failed with $?"
  `));
