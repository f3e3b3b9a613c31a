import type { Command } from '../../contract/command.ts';
import { filterRecord } from '../../contract/metadata.ts';
import { flagsOf } from '../arguments/arguments.ts';
import { givesStack, globalOptions, plainWordPositions } from '../arguments/options.ts';
import { dictionary } from './dictionary.ts';
import { suggestField, wordCondition } from './field-names.ts';

/**
 * Finds our flags (left) for flags of other tools (right). The first that makes a complete command is used.
 * VALUE is the typed value; DROPPED is a value that is left out. A flag may follow the command that it is for.
 */
const flagsFor = dictionary(`
  stack env import VALUE <- stack env set --file, stack env set --env-file, stack env set -f
  status --watch <- process list --watch, server list --watch, stack list --watch
  status --exit-code <- status --check, status --fail, status --strict
  activity --type deployment --since VALUE <- deployment list --since, deployment list --after
  api VALUE <- api --method, api -X, api --request
  DROPPED <- --page, --offset
  --deployment-profile VALUE <- --profile-name, --deploy-profile
  <- doctor --fix, doctor --repair, status --short, status --brief, status --verbose-output, auth logout --all, history undo --last, history undo --latest
  <- stack env get --value, stack env get --plain, stack env get --raw, stack env get --show-secrets
  stack env get VALUE <- stack env list --key
  --only VALUE <- --keys, --section, --sections
  stack env export --keys-only <- stack env list --keys, stack env list --names, stack env list --keys-only
  stack env export --format shell <- stack env list --shell, stack env list --export
  stack env export <- stack env list --dotenv, stack env list --env
  stack env history VALUE <- stack env get --history
  stack env set --redeploy <- stack env set --restart
  --apply-strategy VALUE <- --apply
  --prune <- --replace, --delete, --sync, --mirror
  --ttl 8h <- --open
  --ttl 0 <- --close
  --ttl VALUE <- --for, --hours, --duration, --open-for
  --key-file VALUE <- --key, -i, --identity, --identity-file, --private-key
  --key-stdin DROPPED <- --key, --private-key
  --token-stdin DROPPED <- --token, -t, --api-key, --access-token
  --token-stdin <- --with-token
  --type readonly <- --readonly, --read-only-user, --ro
  --database VALUE <- --db, -d, --databases
  --db VALUE <- --database, --name
  --db-type VALUE <- --type, --engine, --db
  --frequency VALUE <- --schedule, --every, --interval, --cron
  --keep-count VALUE <- --keep, --retention
  --max-age VALUE <- --older-than, --age, --within, --newer-than, --hours
  backup get latest <- backup get --latest
  --latest <- --last, --newest
  --to VALUE <- --out, -o, --file, --output, --output-file, -f, --dest, --dir, --destination, --target, -O, --path
  --to VALUE <- --output-folder, --download-dir, --version, --number, --value
  --from VALUE <- --source, --src, --from-stack
  --limit VALUE <- --last, --count, --num, --number, --max, --max-items, --max-results, --top, --head, --first, --tail
  --limit VALUE <- --per-page, --page-size, --size, --lines, --take, --rows, -l, -c, -L
  --since VALUE <- --last, --from, --after, --start, --newer-than, --period, --start-time
  --limit 1 <- --latest, --last, --newest, --head, --first
  --steps VALUE <- --weights, --percentages
  --pause <- variant ramp --stop, variant ramp --hold
  --abort <- variant ramp --cancel, variant ramp --rollback
  --resume <- variant ramp --continue
  --output VALUE <- -o, --format, -f, -F, --out, --output-format, --as, -t
  --output csv <- --csv
  --output tsv <- --tsv
  --output md <- --markdown, --md
  --output yaml <- --yaml, --yml
  --output table <- --table
  --output ndjson <- --ndjson, --jsonl, --json-lines, --stream
  --json <- -j, --pretty, --raw-json
  --fields VALUE <- --field, --select, --only, --column, --show, --query
  --where VALUE <- --filter, --selector, -l, --query, --filters, -w
  --where key~VALUE <- --filter, --search, --grep, --query, --match, --contains, --prefix
  --where name~VALUE <- --filter, --search, --grep, --query, --match, --contains, --prefix
  --watch <- --follow, --tail, -f, --refresh, --continuous
  --wait <- --follow, --watch, --tail, --sync, --wait-for, --attach, --block
  --wait-timeout VALUE --wait <- --wait, --wait-for, --max-wait, --deadline
  --reveal <- --show-secrets, --no-mask, --unmask, --show-values, --decrypt, --reveal-secrets, --show-passwords
  --reveal <- --plain, --raw, --show, --clear, --plaintext, --unsafe, --secrets, --with-secrets
  --git-ref VALUE <- --branch, --commit, --sha, --tag, --ref, --revision, --rev, -b, -r, --git-sha, --git-branch
  --commit VALUE <- --sha, --revision, --git-ref, --ref, --hash
  --where git_ref=VALUE <- --branch, --ref, --tag, -b, --git-ref
  --where git_hash~VALUE <- --commit, --sha, --hash
  --where git_branch=VALUE <- --branch, -b
  --rollout-strategy canary --canary-percentage VALUE <- --canary
  --rollout-strategy canary <- --canary
  --deploy-strategy VALUE <- --strategy, --order, --mode
  --deploy-strategy rolling <- --rolling
  --deploy-strategy parallel <- --parallel, --all-at-once
  --deploy-strategy serial <- --serial, --one-by-one
  --deploy-strategy fast <- --fast
  --user-reference VALUE <- --message, -m, --comment, --reason, --note, --description, --desc, --reference
  --services VALUE <- --image, --images, --service
  --if-busy wait <- --queue, --if-idle, --wait-for-idle
  --server VALUE <- --host, --node, --on
  --servers <- --server-by-server, --machines
  --every VALUE <- --interval, --refresh, --period
  --all <- -A, --all-stacks, --all-namespaces, --all-projects, -a
  -s * <- -A, --all-stacks, --all-namespaces, --all-projects
  -s VALUE <- --app, --project, --namespace, --stack-name, --stack-id, --application, --site, -a, --stacks
  --sort VALUE <- --order, --order-by, --sort-by, --orderby, --sortby
  --shell VALUE <- --for, --type
  --dry-run <- --dryrun, --dry, --noop, --preview, --check, --plan, --what-if, --simulate, --test, --diff, --no-op
  --verbose <- --debug, --trace, --debug-http, -vv, -vvv, --log-http
  --quiet <- --silent, --ids-only, --id-only, --ids, --id, -1, --uids
  --yes <- --force, -f, --no-confirm, --assume-yes, --no-prompt, --auto-approve, --skip-confirm, --confirmed, --non-interactive, --batch, --no-interactive, --unattended
  --no-input <- --non-interactive, --batch, --no-interactive, --unattended
  --no-header <- --no-headers, --noheader, --noheaders, --skip-header
  --color never <- --no-color, --no-colour, --plain, --monochrome
  --no-browser <- --url, --print-url, --print, --no-launch
  --input VALUE <- --data-file, --body-file, -T
  --where is_live=yes <- --live, --current, --active
  --where is_deploying=yes <- --running, --in-progress, --active, --pending
  --where finished_at= <- --running, --in-progress, --active, --open, --pending
  --where finished_success=no <- --failed, --errors
  --where health_state!=healthy <- --unhealthy, --problems, --impaired-only
  --where triggered_by=VALUE <- --author, --user, --by, --triggered-by, --actor
  --where by=VALUE <- --author, --user, --actor
  =VALUE <- --replicas, --value, --percent, --percentage, --weight, --count, --size, --num
  VALUE <- --key, -k, --name, -n, --id, --file, -f, --number, --to, --tags, --path, --percent, --percentage, --weight
  VALUE <- --uid, --version, --username, --server, --variant, --value, --share, --setting
  <- --no-wait, --detach, -d, --async, --background, --no-redeploy, --no-restart, --stage, --no-deploy, --previous
  <- --desc, --descending, --all, --wide, --pretty, --compact, --no-pager, --force, -f, --now, --yes-really, --overwrite, --hard, --raw
  <- --no-trunc, --full, --long, -a, --show-all, --no-truncate, --human, --bare, --upsert, --create, --text, --web
`);

interface TypedLine {
  readonly argv: readonly string[];
  readonly at: number;
  readonly path: readonly string[];
  readonly command: Command | undefined;
}

interface TypedValue {
  readonly value: string | undefined;
}

type LineAndValue = Pick<TypedLine, 'argv' | 'command'> & TypedValue;

/** Yields command lines with one of our flags in place of the word at `at`. The likeliest comes first. */
export function* suggestFlags({ argv, at, path, command }: TypedLine): Generator<readonly string[]> {
  const [, flag = '', joined] = /^(--[^=]+|-[^-])=?(.+)?$/s.exec(argv[at] ?? '') ?? [];
  const next = argv[at + 1];
  const isCommand = plainWordPositions(argv)[0] === at + 1;
  const value = joined ?? (isCommand || next?.startsWith('-') ? undefined : next);
  const sortFieldAt = argv.indexOf('--sort') + 1;
  if (sortFieldAt > 0 && /^--(desc|descending|reverse)$/.test(flag)) {
    yield argv.with(sortFieldAt, `-${argv[sortFieldAt]}`).toSpliced(at, 1);
  }
  const ourFlags = flagsFor(flag, `${path.join(' ')} ${flag}`);
  for (const words of [...ourFlags, ...suggestConditions(flag, command)]) {
    const takesValue = / ?(VALUE|DROPPED)/.test(words);
    if ((takesValue && value === undefined) || !mayInsert(words, { argv, command, value })) continue;
    const otherWords = argv.toSpliced(at, takesValue && joined === undefined ? 2 : 1);
    yield insertWords(words.replace(/ ?DROPPED/, ''), { otherWords, at, path, value });
  }
}

/** Returns conditions for a flag that is named like a field or like one of its values: `--region eu`, `--failed`. */
function suggestConditions(flag: string, command: Command | undefined): readonly string[] {
  if (!command || !flag.startsWith('--')) return [];
  const { output } = command;
  const record = filterRecord(output) ?? (output.kind === 'rows' ? (output.table ?? output.reply.record) : undefined);
  if (!record) return [];
  const name = flag.slice(2).replaceAll('-', '_');
  const field = suggestField(name, record);
  const word = wordCondition(name, record);
  return [...(field ? [`--where ${field}=VALUE`] : []), ...(word ? [`--where ${word}`] : [])];
}

/** False for a second stack, for consent to a command without a question, and for flags that the command lacks. */
function mayInsert(words: string, { argv, command, value = '' }: LineAndValue): boolean {
  // A value that does not look like a path may be the key itself, which must not be shown.
  if (words === '--key-file VALUE' && !/^\S*[./]\S*$/.test(value)) return false;
  if (words.startsWith('-s ')) return !givesStack(argv);
  const [flag = ''] = words.split(' ');
  if (!command || !flag.startsWith('-')) return true;
  const known = [...flagsOf(command), ...globalOptions].flatMap(({ spellings }) => spellings);
  return known.includes(flag) && (flag !== '--yes' || command.confirm?.level === 'yes');
}

interface Insertion extends Pick<TypedLine, 'at' | 'path'>, TypedValue {
  readonly otherWords: readonly string[];
}

function insertWords(words: string, { otherWords, at, path, value = '' }: Insertion): readonly string[] {
  const filledWords = words
    .split(' ')
    .filter(Boolean)
    .map((word) => word.replace('VALUE', () => value));
  if (words.startsWith('=')) {
    const isFlag = otherWords[at - 2]?.startsWith('-');
    return isFlag ? [] : otherWords.with(at - 1, `${otherWords[at - 1]}=${value}`);
  }
  if (!/^[a-z]/.test(words)) return otherWords.toSpliced(at, 0, ...filledWords);
  const [firstAt, ...furtherPositions] = plainWordPositions(otherWords).slice(0, path.length);
  return otherWords.flatMap((word, position) => {
    if (position === firstAt) return filledWords;
    return furtherPositions.includes(position) ? [] : [word];
  });
}
