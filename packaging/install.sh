#!/bin/sh
# Installs stackops below a prefix: no root, no questions. Nothing is changed before every sum is verified.
#   sh install.sh --from https://host.example/stackops     a folder with SHA256SUMS; a path works as well
#   sh install.sh --from … --version 1.2.3 --prefix "$HOME/.local"
#   sh install.sh --uninstall
# STACKOPS_INSTALL_URL is used without --from.
set -eu
umask 022

oldest_node=20.19.0
home=lib/stackops

fail() {
  echo "install.sh: error: $1" >&2
  exit 1
}

usage() {
  echo "install.sh: error: $1" >&2
  echo 'usage: sh install.sh [--from FOLDER] [--version X.Y.Z] [--prefix FOLDER] [--uninstall]' >&2
  exit 2
}

has() { command -v "$1" >/dev/null 2>&1; }

node_is_new_enough() {
  has node || return 1
  found=$(node --version 2>/dev/null)
  case $found in *-*) return 1 ;; esac # stackops is not tested with a pre-release
  [ "$(printf '%s\n' "v$oldest_node" "$found" | sort -t . -k 1.2,1n -k 2,2n -k 3,3n | tail -n 1)" = "$found" ]
}

# Sums received over http prove nothing, so http is allowed only from this machine.
check_source() {
  case $from in
    *@*) usage '--from takes no name and no password' ;;
    https://*|http://127.0.0.1:*|http://127.0.0.1/*) ;;
    *://*) usage "--from must be an https address or a folder, not $from" ;;
    *) [ -d "$from" ] || usage "there is no folder $from" ;;
  esac
}

# wget itself would follow a redirect to http, so this follows at most five, to https alone.
wget_https() {
  address=$1
  for _ in 0 1 2 3 4 5; do
    if headers=$(LC_ALL=C wget -q -S --max-redirect=0 -O "$2" "$address" 2>&1); then return 0; fi
    address=$(printf '%s\n' "$headers" | tr -d '\r' | sed -n 's/^ *[Ll]ocation: *//p' | tail -n 1)
    case $address in https://*) ;; *) return 1 ;; esac
  done
  return 1
}

fetch() {
  case $from in
    https://*)
      if has curl; then
        curl -fsSL --proto '=https' --proto-redir '=https' --tlsv1.2 -o "$2" "$from/$1"
      elif has wget && wget --version 2>/dev/null | grep -q GNU; then
        wget_https "$from/$1" "$2"
      else
        fail 'needs curl or GNU wget, which check certificates'
      fi ;;
    http://*)
      if has curl; then curl -fsS --noproxy '*' -o "$2" "$from/$1"; else no_proxy=127.0.0.1 wget -q --max-redirect=0 -O "$2" "$from/$1"; fi ;;
    *) cp -- "$from/$1" "$2" ;;
  esac || fail "could not fetch $from/$1; nothing was installed"
}

sum_of() {
  if has sha256sum; then sha256sum "$1"
  elif has shasum; then shasum -a 256 "$1"
  elif has openssl; then openssl dgst -sha256 -r "$1"
  fi | cut -d ' ' -f 1
}

listed_sum() {
  while read -r sum name; do
    if [ "$name" = "$1" ]; then echo "$sum"; fi
  done <"$work/SHA256SUMS"
}

listed_version() {
  versions=$(sed -n 's/^[0-9a-f]*  stackops-\([0-9][0-9.]*\)\.tgz$/\1/p' "$work/SHA256SUMS")
  case $versions in
    '') fail "$from/SHA256SUMS names no stackops-X.Y.Z.tgz" ;;
    *[!0-9.]*) usage "$from has several versions: choose one with --version" ;;
  esac
  echo "$versions"
}

fetch_verified() {
  wanted=$(listed_sum "$1")
  [ -n "$wanted" ] || fail "$from/SHA256SUMS does not name $1; nothing was installed"
  fetch "$1" "$work/$1"
  found=$(sum_of "$work/$1")
  [ -n "$found" ] || fail 'needs sha256sum, shasum or openssl to verify; nothing was installed'
  [ "$found" = "$wanted" ] || fail "the SHA-256 of $1 is $found, not $wanted; nothing was installed"
}

# The name in the release of the program that needs no Node.
native_program() {
  case $(uname -m) in
    x86_64|amd64) machine=x64 ;;
    aarch64|arm64) machine=arm64 ;;
    *) machine=$(uname -m) ;;
  esac
  echo "stackops-$(uname -s | tr '[:upper:]' '[:lower:]')-$machine"
}

# Fills $work/new and sets $start, the path of the program below it.
unpack() {
  if node_is_new_enough; then
    file=stackops-$version.tgz
    start=bin/stackops.js
    fetch_verified "$file"
    { mkdir "$work/files" && tar -xzf "$work/$file" -C "$work/files" && mv "$work/files/package" "$work/new"; } ||
      fail "could not unpack $file; nothing was installed"
  else
    file=$(native_program)
    start=bin/stackops
    [ -n "$(listed_sum "$file")" ] ||
      fail "needs Node $oldest_node or newer: $from has no program for this machine ($file)"
    fetch_verified "$file"
    mkdir -p "$work/new/bin" && mv "$work/$file" "$work/new/$start" && chmod 755 "$work/new/$start"
  fi
  : >"$work/new/by-install.sh"
  said=$("$work/new/$start" --version) || fail "$file does not run on this machine; nothing was installed"
  [ "${said#"$version"}" != "$said" ] || [ "${said#stackops "$version"}" != "$said" ] ||
    fail "$file says that it is $said, not $version; nothing was installed"
}

refuse_others() {
  if [ -e "$prefix/$home" ] && [ ! -e "$prefix/$home/by-install.sh" ]; then
    fail "$prefix/$home was not made by install.sh: choose another --prefix"
  fi
  if [ -e "$prefix/bin/stackops" ] && ! is_ours "$prefix/bin/stackops"; then
    fail "$prefix/bin/stackops was not made by install.sh: remove it, or choose another --prefix"
  fi
}

is_ours() {
  case $(readlink "$1") in
    ../$home/*|../../../$home/*) ;;
    *) return 1 ;;
  esac
}

put_in_place() {
  if [ -e "$prefix/$home" ]; then mv "$prefix/$home" "$work/old"; fi
  mv "$work/new" "$prefix/$home"
  rm_links
  mkdir -p "$prefix/bin"
  ln -s "../$home/$start" "$prefix/bin/stackops"
  for page in "$prefix/$home"/man/*.[17]; do
    if [ -e "$page" ]; then link "man/${page##*/}" "share/man/man${page##*.}" "${page##*/}"; fi
  done
  link completions/stackops.bash share/bash-completion/completions stackops
  link completions/_stackops share/zsh/site-functions _stackops
  link completions/stackops.fish share/fish/vendor_completions.d stackops.fish
}

link() {
  [ -e "$prefix/$home/$1" ] || return 0
  [ -d "$prefix/$2" ] || mkdir -p "$prefix/$2"
  if [ ! -e "$prefix/$2/$3" ]; then ln -sf "../../../$home/$1" "$prefix/$2/$3"; fi
}

rm_links() {
  for file in "$prefix"/bin/stackops "$prefix"/share/man/man[17]/stackops* \
    "$prefix"/share/bash-completion/completions/stackops "$prefix"/share/zsh/site-functions/_stackops \
    "$prefix"/share/fish/vendor_completions.d/stackops.fish; do
    if [ -L "$file" ] && is_ours "$file"; then rm "$file"; fi
  done
}

# After any failure the former version is back in its place, unless the new one is already there.
clean_up() {
  if [ -e "$work/old" ] && [ ! -e "$prefix/$home" ]; then mv "$work/old" "$prefix/$home"; fi
  rm -rf "$work"
}

install() {
  [ -n "$from" ] || usage 'name the folder of a release: --from or STACKOPS_INSTALL_URL'
  check_source
  refuse_others
  mkdir -p "$prefix/lib" || fail "could not make $prefix/lib"
  work=$(mktemp -d "$prefix/lib/.stackops-XXXXXX") || fail "could not write to $prefix/lib"
  trap clean_up EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
  fetch SHA256SUMS "$work/SHA256SUMS"
  if [ -z "$version" ]; then version=$(listed_version); fi
  unpack
  put_in_place
  echo "stackops $version installed: $prefix/bin/stackops"
  case :$PATH: in
    *":$prefix/bin:"*) ;;
    *) echo "to start it by its name: export PATH=\"$prefix/bin:\$PATH\"" ;;
  esac
}

uninstall() {
  [ -e "$prefix/$home/by-install.sh" ] || fail "there is no stackops of install.sh in $prefix"
  rm_links
  rm -rf "${prefix:?}/$home"
  echo "stackops removed from $prefix; stackops help files says where its settings were"
}

from=${STACKOPS_INSTALL_URL-}
prefix=${HOME:+$HOME/.local}
version=
action=install
while [ $# -gt 0 ]; do
  case $1 in
    --uninstall) action=uninstall ;;
    --from|--version|--prefix)
      if [ $# -lt 2 ] || [ -z "$2" ]; then usage "$1 needs a value"; fi
      case $1 in
        --from) from=$2 ;;
        --version) version=$2 ;;
        --prefix) prefix=$2 ;;
      esac
      shift ;;
    *) usage "unknown argument $1" ;;
  esac
  shift
done
from=${from%/}
case $version in *[!0-9.]*) usage "--version must be like 1.2.3, not $version" ;; esac
case $prefix in
  '') usage 'HOME is not set: choose a --prefix' ;;
  /*) ;;
  *) prefix=$PWD/$prefix ;;
esac
$action
