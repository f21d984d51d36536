#!/usr/bin/env bash
# Runs a command that says nothing while it works, and says every five seconds what is waited for, on standard error:
# tools/heard.sh WHAT COMMAND…
set -uo pipefail
what="$1"
shift
(
    trap 'kill "$nap" 2>/dev/null; exit 0' TERM
    while :; do
        sleep "${HEARD_EVERY_S:-5}" &
        nap=$!
        wait "$nap"
        printf '%s … %d:%02d\n' "$what" $((SECONDS / 60)) $((SECONDS % 60)) >&2
    done
) &
beat=$!
trap 'kill "$beat" 2>/dev/null' EXIT
"$@"
