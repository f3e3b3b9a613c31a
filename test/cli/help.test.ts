import { test } from 'vitest';
import { transcript } from '../support/transcript.ts';

test('a group shows what it holds', () =>
  transcript(`
    $ stackops stack
    Stacks, their environment variables and settings.

    A stack is named by its UID or exact name, or as name/environment where two
    share a name. \`stack use\` sets the default of the profile; -s and STACKOPS_STACK
    override it.

    Usage:
      stackops stack <command> [flags]

    Commands:
      list      List the stacks.
      get       Show one stack.
      use       Set the default stack of the profile.
      env       Environment variables of a stack.
      settings  Settings of a stack.

    Help on one command: stackops stack <command> --help
    $ stackops stack --help
    Stacks, their environment variables and settings.

    A stack is named by its UID or exact name, or as name/environment where two
    share a name. \`stack use\` sets the default of the profile; -s and STACKOPS_STACK
    override it.

    Usage:
      stackops stack <command> [flags]

    Commands:
      list      List the stacks.
      get       Show one stack.
      use       Set the default stack of the profile.
      env       Environment variables of a stack.
      settings  Settings of a stack.

    Help on one command: stackops stack <command> --help
    $ stackops help stack
    Stacks, their environment variables and settings.

    A stack is named by its UID or exact name, or as name/environment where two
    share a name. \`stack use\` sets the default of the profile; -s and STACKOPS_STACK
    override it.

    Usage:
      stackops stack <command> [flags]

    Commands:
      list      List the stacks.
      get       Show one stack.
      use       Set the default stack of the profile.
      env       Environment variables of a stack.
      settings  Settings of a stack.

    Help on one command: stackops stack <command> --help
    $ stackops db user
    Database users of a server group.

    Usage:
      stackops db user <command> [flags]

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

    Usage:
      stackops stack env set <KEY=VALUE...> [flags]

    Examples:
      stackops stack env set A=1 B='x y' -s shop
      stackops stack env set TLS_KEY --from-file key.pem -s shop
      printf %s "$SECRET" | stackops stack env set API_SECRET --stdin -s shop

    Arguments:
      <KEY=VALUE...>  Name and value, split at the first \`=\`.

    Options:
      --stdin                    Read the value of KEY from stdin, without its last
                                 newline.
      --from-file <file>         Read the value of KEY from a file, without its last
                                 newline.
      --raw                      Keep the last newline of stdin or the file.
      --allow-empty              Accept an empty value from stdin or the file.
      -s, --stack <uid or name>  Stack to act on; several with commas.
      --stacks-file <file>       Stacks to act on, one a line; - for stdin.

    Output:
      --json                     Print one JSON document.
      --fields <names>           With --json: only these fields, dotted paths with
                                 commas.
      --jq <expression>          Print what jq makes of the JSON; texts come out
                                 raw.
      --output <format>          Print as table, tsv, csv, json, yaml or ndjson.
      -q, --quiet                Say nothing of what was done; only errors.
      -n, --dry-run              Check everything, print the request, send nothing.
      --curl                     The same, as a line for curl.
      -w, --wait                 Wait for the end of what was queued, and exit by
                                 it.
      --wait-timeout <duration>  Stop waiting after this time (default 30m).
      --poll <duration>          Look this often while waiting (default 5s, at least
                                 1s).
      --no-reconcile             Do not look what became of a change whose answer
                                 was lost.
      --keep-going               Of several changes, go on after one that fails.

    Global options:
      --profile, --base-url, --auth-url, --sandbox, --timeout, --retries, --verbose,
      --color, --no-input, --help; see stackops --help

    Fields:
      key, change, before, after, action, message, error

    Notes:
      Scope: admin.
      Acts without asking.

    Exit codes:
      1   some of several changes failed
      3   not found, or more than one: stack
      8   with --wait: not over within --wait-timeout, or its end cannot be seen
      9   with --wait: it is over and has failed
      11  sent, and no answer says whether it was done
    $ stackops db delete --help
    Delete a database and all its data.

    Usage:
      stackops db delete <database> [flags]

    Examples:
      stackops db delete shop_prod -s shop
      stackops db delete db5a1 -s shop --confirm shop_prod

    Arguments:
      <database>  UID or exact name of the database.

    Options:
      -s, --stack <uid or name>  Stack to act on.
      -g, --server-group <id>    Server group to act on.

    Output:
      --json                     Print one JSON document.
      --fields <names>           With --json: only these fields, dotted paths with
                                 commas.
      --jq <expression>          Print what jq makes of the JSON; texts come out
                                 raw.
      --output <format>          Print as table, tsv, csv, json, yaml or ndjson.
      -q, --quiet                Say nothing of what was done; only errors.
      -n, --dry-run              Check everything, print the request, send nothing.
      --curl                     The same, as a line for curl.
      --confirm <name>           Type the name for a change that asks for one.
      -w, --wait                 Wait for the end of what was queued, and exit by
                                 it.
      --wait-timeout <duration>  Stop waiting after this time (default 30m).
      --poll <duration>          Look this often while waiting (default 5s, at least
                                 1s).
      --no-reconcile             Do not look what became of a change whose answer
                                 was lost.

    Global options:
      --profile, --base-url, --auth-url, --sandbox, --timeout, --retries, --verbose,
      --color, --no-input, --help; see stackops --help

    Fields:
      uid, name, change, before, after, action, message, error

    Notes:
      Scope: public, admin.
      Asks for the typed name; --confirm NAME answers, -y does not.

    Exit codes:
      1   answered No
      3   not found, or more than one: stack, server group, database
      8   with --wait: not over within --wait-timeout, or its end cannot be seen
      9   with --wait: it is over and has failed
      11  sent, and no answer says whether it was done
    $ stackops deployment list --help
    List the deployments of a stack.

    Usage:
      stackops deployment list [flags]

    Examples:
      stackops deployment list -s shop --limit 5
      stackops deployment list -s shop --json --fields id,outcome.meaning

    Options:
      -s, --stack <uid or name>  Stack to act on; several with commas.
      --stacks-file <file>       Stacks to act on, one a line; - for stdin.

    Output:
      --json             Print one JSON document.
      --fields <names>   With --json: only these fields, dotted paths with commas.
      --jq <expression>  Print what jq makes of the JSON; texts come out raw.
      --output <format>  Print as table, tsv, csv, json, yaml or ndjson.
      --columns <names>  Show these columns.
      --header           Print the heading even when piped.
      --no-header        Leave the heading out.
      --sort <field>     Sort by a field, \`-\` in front for descending.
      --limit <n>        Stop after this many rows.
      --csv-raw          With --output csv: put no quote in front of formulas.
      -q, --quiet        Only the identifiers, one a line, and errors.

    Global options:
      --profile, --base-url, --auth-url, --sandbox, --timeout, --retries, --verbose,
      --color, --no-input, --help; see stackops --help

    Fields:
      id, outcome, started_at, finished_at, git_hash, triggered_by, triggered_via,
      deploy_type, is_live, is_head, is_deploying, deploy_session, reverted,
      reverted_by, reverted_at, commit_url

    Notes:
      Scope: public.

    Exit codes:
      3  not found, or more than one: stack
  `));

test('topics', () =>
  transcript(`
    $ stackops help exit-codes
    Exit codes

      0    done; also an empty list, nothing to change, the reader closed the pipe
      1    any failure not named below; answered No; part of a multi-target run
           failed (11 when the outcome of any part is unknown)
      2    wrong usage: words, flags, values, a prompt needed but no terminal,
           unreadable configuration
      3    not found: 404, or a name that matches nothing or more than one thing
      4    not signed in, token refused (401), consent refused
      5    forbidden (403): the message names the scope the command needs
      6    refused by the service (400, 409, 422)
      7    service unreachable or broken, and nothing changed; or lost while
           waiting: what was sent goes on
      8    still pending
      9    the remote operation finished and failed
      11   outcome unknown: a change was sent and no trustworthy answer came back
      129  ended by a hang-up
      130  interrupted by Ctrl-C
      143  interrupted by SIGTERM

      The help of a command says what a code means there in particular. 129, 130 and
      143 come from raising the signal again, so that a calling script sees it and
      stops too.

      stackops variant list -s shop --json > variants.json || echo "failed with $?"
  `));
