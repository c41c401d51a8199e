#!/bin/sh
# What a user would write by hand: the same agent calls, and the minimum of git work that keeps them apart.
#   bare-loop.sh NODE AGENT TASKS
set -eu
node=$1 agent=$2 tasks=$3
export UMPIRE_ROLE UMPIRE_CYCLE
for task in $(seq "$tasks"); do
  tree=$PWD/.bare/$task
  git worktree add -q -b "bare/$task" "$tree"
  for UMPIRE_CYCLE in 1 2; do
    UMPIRE_ROLE=developer
    (cd "$tree" && echo "Do task $task" | "$node" "$agent" >/dev/null)
    git -C "$tree" add -A
    git -C "$tree" commit -qm "Task $task, cycle $UMPIRE_CYCLE"
    git -C "$tree" diff main...HEAD >"$tree.diff"
    UMPIRE_ROLE=reviewer
    (cd "$tree" && "$node" "$agent" <"$tree.diff" >"$tree.review")
  done
  grep -q APPROVED "$tree.review"
done
