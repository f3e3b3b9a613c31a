#!/usr/bin/env bash
# The step of action.yml. It is one step, because a cancelled job may run no further steps of a composite action: this
# program cancels the deployment within the seconds that the runner gives.
set -euo pipefail
: "${STACKOPS_TOKEN:?set it in the env of the job, from a secret}"
if [ -n "$STACK" ]; then export STACKOPS_STACK=$STACK; fi
what=(--git-ref "$GIT_REF")
if [ -n "$SERVICES" ]; then what=(--services "$SERVICES"); fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkfifo "$folder/stderr"
child=
cancelled=
trap 'cancelled=yes; [ -z "$child" ] || kill -TERM "$child" 2> /dev/null || true' INT TERM

# Runs stackops to its end, also after a signal. Its messages are shown at once, and are no commands to the runner.
watched() {
  local code=0 guard="stackops-$RANDOM$RANDOM$RANDOM$RANDOM" reader
  echo "::stop-commands::$guard" >&2
  tee "$folder/said" < "$folder/stderr" >&2 &
  reader=$!
  stackops "$@" 2> "$folder/stderr" &
  child=$!
  while
    code=0
    wait "$child" || code=$?
    kill -0 "$child" 2> /dev/null
  do :; done
  child=
  wait "$reader" || true
  echo "::$guard::" >&2
  return "$code"
}

# The first error, from text or JSON, on one line; a percent sign would begin an escape.
annotate() {
  local json='s/^\{"error":\{"code":"[a-z_]+","message":"(([^"\\]|\\.)*)".*/\1/p' message
  message=$(sed -nE -e 's/^error: //p' -e "$json" "$folder/said" | head -n 1)
  echo "::error title=stackops::${message//\%/%25}"
}

code=0
outcome=
commit=
watched redeploy -y "${what[@]}" --if-busy wait --jq .id > "$folder/id" || code=$?
id=$(tr -cd 0-9 < "$folder/id")
if [ -n "$id" ] && [ -z "$cancelled" ]; then
  watched deployment wait "$id" --wait-timeout "$WAIT_TIMEOUT" || code=$?
fi
if [ "$code" != 0 ] && [ -z "$cancelled" ]; then annotate; fi
if [ -n "$id" ] && [ -n "$cancelled" ]; then
  trap '' INT TERM
  watched deployment cancel "$id" -y || true
fi

case $code in
  0) outcome=success ;;
  8) outcome=pending ;;
  9) outcome=failed ;;
  11) outcome=unknown ;;
esac
if [ -n "$id" ]; then
  # The exit code decides. The words of the service are data: only a known one and a hexadecimal commit are passed on.
  found=$(stackops deployment get "$id" --jq '[.outcome.meaning? // .outcome // "-", .git_hash] | @tsv' 2> /dev/null) || found=
  IFS=$'\t' read -r word hash <<< "$found"
  if [[ $hash =~ ^[0-9a-f]{7,64}$ ]]; then commit=$hash; fi
  case $outcome:$word in
    :success | :failed | :pending | :cancelled | failed:cancelled) outcome=$word ;;
    :*) outcome=unknown ;;
  esac
fi
printf '%s\n' "deployment=$id" "commit=$commit" "outcome=$outcome" >> "$GITHUB_OUTPUT"

if [ -n "$id" ]; then summary="Deployment $id: $outcome${commit:+ (commit ${commit:0:7})}"
elif [ "$outcome" = unknown ]; then summary='It is not known whether a deployment was started. Check before you run this again.'
else summary="No deployment was started (exit code $code)."
fi
echo "$summary" >> "$GITHUB_STEP_SUMMARY"
if [ -n "$id" ]; then
  # In this table no text of the service becomes a link, a mention or a line.
  table=$(stackops deployment list --where "id=$id" --limit 1 --output md 2> /dev/null) || table=
  printf '\n%s\n' "$table" >> "$GITHUB_STEP_SUMMARY"
fi
if [ -n "$cancelled" ]; then exit 130; fi
exit "$code"
