#!/bin/bash
# A container program for tests on machines without docker and podman: the few subcommands that Jurist uses, with images as
# directories beside this file, and containers as bubblewrap with the programs of this machine. An image has every file of the
# directory that it is built of, or of "workspace" in it, in the WORKDIR of its Dockerfile.
set -euo pipefail
state=$(dirname "$0")/.containers
image_of() { printf '%s/images/%s' "$state" "${1//[:\/]/_}"; }

case "$1" in
  info | rm) ;;
  image)
    image=$(image_of "${@: -1}")
    [ -d "$image" ]
    case " $* " in *' --format '*) cat "$image/workdir" ;; esac
    ;;
  build)
    context=${@: -1}
    tag=$(for at in "$@"; do [ "${previous:-}" = --tag ] && echo "$at"; previous=$at; done)
    image=$(image_of "$tag")
    workdir=$(sed -n 's/^WORKDIR //p' "$context/Dockerfile" | tail -1)
    files=$context
    [ ! -d "$context/workspace" ] || files=$context/workspace
    mkdir -p "$image/files"
    printf '%s\n' "$workdir" >"$image/workdir"
    cp -R "$files/." "$image/files"
    ;;
  create)
    container=$(mktemp -d "$state.XXXXXX")
    printf '%s\0' "$@" >"$container/words"
    echo "$container"
    ;;
  cp)
    mapfile -d '' words <"${2%%:*}/words"
    cp -R "$(image_of "${words[-2]}")/files/." "$3"
    ;;
  start)
    container=${@: -1}
    mapfile -d '' words <"$container/words"
    date +%FT%TZ >"$container/started"
    binds=(--ro-bind /usr /usr --ro-bind /etc /etc --proc /proc --dev /dev --tmpfs /tmp --die-with-parent)
    for place in bin sbin lib lib64; do
      if [ -L "/$place" ]; then binds+=(--symlink "usr/$place" "/$place"); elif [ -d "/$place" ]; then binds+=(--ro-bind "/$place" "/$place"); fi
    done
    at=1
    while [[ ${words[at]} == --* ]]; do
      case "${words[at]}" in
        --interactive | --init | --read-only) at=$((at + 1)) && continue ;;
        --volume) IFS=: read -r from to mode <<<"${words[at + 1]}" && binds+=("--${mode:+ro-}bind" "$from" "$to") ;;
        --workdir) binds+=(--chdir "${words[at + 1]}") ;;
        --env) case "${words[at + 1]}" in *=*) export "${words[at + 1]}" ;; esac ;;
      esac
      at=$((at + 2))
    done
    code=0
    bwrap "${binds[@]}" -- "${words[@]:at+1}" || code=$?
    echo "$code" >"$container/code"
    exit "$code"
    ;;
  inspect) printf '%s %s\n' "$(cat "${@: -1}/code")" "$(cat "${@: -1}/started")" ;;
  *) echo "unknown: $1" >&2 && exit 1 ;;
esac
