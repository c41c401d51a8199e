#!/bin/sh
# A developer that adds a file of its own, so that no two of them meet.
cat >/dev/null
echo "$UMPIRE_TASK" >"file-$UMPIRE_TASK"
