#!/bin/sh
# The `switchyard` command of an installed package: <app>/bin/switchyard, with a link to it in /usr/bin.
set -eu
self=$(readlink -f -- "$0")
app=$(dirname -- "$(dirname -- "$self")")
exec "$app/switchyard" "$@"
