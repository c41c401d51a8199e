#!/bin/sh
# `umpire` on the path of an agent session: the very program that started the session, on the same Node.
exec "${UMPIRE_NODE:-node}" "$(dirname -- "$0")/../main.js" "$@"
