#!/bin/sh
# A developer that adds its own file, so that no two of them conflict.
cat >/dev/null
echo "$UMPIRE_TASK" >"file-$UMPIRE_TASK"
