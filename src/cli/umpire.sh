#!/bin/sh
# `umpire` on the PATH of an agent session: runs the same program that started the session, with the same Node.
exec "${UMPIRE_NODE:-node}" "$(dirname -- "$0")/../main.js" "$@"
