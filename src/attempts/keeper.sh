#!/bin/sh
# The keeper of one attempt. It is a POSIX shell script, because a hundred of them may run at once. It is started in its
# own session, and survives when Umpire is killed or the terminal is closed.
#
#   sh keeper.sh FOLDER LIMIT_SECONDS PLACE PROGRAM [ARGUMENT...]
#
#   win FOLDER/keeper by link(2) ──► run the agent ──► end what it left behind ──► publish FOLDER/result
#        └─ lost: leave no trace         └─ the watcher ends it at the limit
#
# PLACE is the boot id and pid namespace, as lib/process/process-identity.ts writes them. UMPIRE_KEEPER in the
# environment is the attempt's mark. The keeper and its helpers have it under this name, the agent's tree has it as
# UMPIRE_ATTEMPT_MARK, so that neither is mistaken for the other. UMPIRE_KEEPER_ENV contains the agent's variables that
# a shell would drop because their names are not identifiers, separated by the byte 037.
#
# Every variable here starts with k_: assigning to a name from the environment would change it for the agent.

k_folder=$1 k_limit=$2 k_place=$3 k_mark=$UMPIRE_KEEPER k_self=$$
shift 3

# The umask applies only to the attempt's files. The agent gets the user's own umask back, and the user's own PATH. The
# umask is in the second line of /proc/self/status, which costs no fork.
{ read -r k_stat && read -r k_stat k_umask; } </proc/self/status
[ "$k_stat" = Umask: ] || k_umask=$(umask)
umask 077
k_path=${PATH-}
PATH=/usr/bin:/bin:$k_path

# A signal to the agent's process group must not kill the keeper before it has published. These are handlers and not '',
# because an ignored signal stays ignored in the agent, while exec resets a handled one.
trap : HUP INT QUIT TERM

# Sets k_start to what lib/process/process-identity.ts reads for this process.
find_start() {
  if { read -r k_stat </proc/self/stat; } 2>/dev/null; then
    set -- ${k_stat##*) }
    k_start=${20}
  else
    set -- $(TZ=UTC LC_ALL=C ps -o lstart= -p $$)
    k_start=$1_$2_$3_$4_$5
  fi
}

# Only one process wins link(2). Without hard links, O_EXCL (set -C) decides. The winner is the process whose mark is in
# the file. This is right even if a network file system reports a successful link as failed.
win() {
  k_own=$k_folder/keeper.$k_mark
  printf '%s\n%s\n' "$$ $k_start $k_place" "$k_mark" >"$k_own" || return 1
  if ! ln "$k_own" "$k_folder/keeper"; then
    set -C
    printf '%s\n%s\n' "$$ $k_start $k_place" "$k_mark" >"$k_folder/keeper"
    set +C
  fi
  k_winner=
  { read -r k_winner && read -r k_winner; } <"$k_folder/keeper"
  [ "$k_winner" = "$k_mark" ] && return
  rm -f "$k_own"
  return 1
}

# Adds processes to k_tree, and to k_new in the form a|b. Leaves out the keeper, its watcher, and the helper that listed
# the processes, which is gone by now.
add() {
  for k_file; do
    k_pid=${k_file#/proc/}
    k_pid=${k_pid%%/*}
    case " $$ $k_self$k_tree " in *" $k_pid "*) continue ;; esac
    kill -0 "$k_pid" && k_tree="$k_tree $k_pid" k_new="$k_new|$k_pid"
  done
}

# Sets k_tree to all living processes of the attempt: those with its mark, those in the keeper's session or below it,
# and their descendants. In /proc/PID/stat the fields after the last ")" are state, parent, group and session. Zombies
# are left out, because a container without an init keeps them forever.
find_tree() {
  k_tree='' k_new=''
  if [ ! -e /proc/self/stat ]; then
    add $(ps -A -o pid= -o ppid= -o pgid= -o stat= | awk -v keeper=$$ '
      $4 !~ /^Z/ { parent[$1] = $2; if ($3 == keeper) tree[$1] = 1 }
      END {
        do { more = 0; for (p in parent) if (!(p in tree) && parent[p] in tree) more = tree[p] = 1 } while (more)
        for (p in tree) print p
      }')
    return
  fi
  k_files=$(LC_ALL=C grep -lsE -e "UMPIRE_(KEEPER|ATTEMPT_MARK)=$k_mark" \
    -e "^[0-9]+ \(.*\) [^ZX] ($$ [0-9]+ [0-9]+|[0-9]+ [0-9]+ $$) [^)]*\$" /proc/[0-9]*/environ /proc/[0-9]*/stat)
  add $k_files
  # The keeper has the mark too. A grep that does not find it there stops at the first NUL byte (busybox). The shell's
  # own read does not, but is slow.
  case $k_files in */proc/$$/environ*) ;; *) add_marked ;; esac
  while [ -n "$k_new" ]; do
    k_parents=${k_new#|} k_new=''
    add $(LC_ALL=C grep -lsE "^[0-9]+ \(.*\) [^ZX] ($k_parents) [^)]*\$" /proc/[0-9]*/stat)
  done
}

add_marked() {
  for k_environ in /proc/[0-9]*/environ; do
    [ -r "$k_environ" ] || continue
    while read -r k_line || [ -n "$k_line" ]; do
      case $k_line in *UMPIRE_ATTEMPT_MARK=$k_mark*) add "$k_environ" ;; esac
    done <"$k_environ"
  done
}

# TERM, two seconds of grace, KILL, repeated until nothing is left. A process that survives KILL hangs in the kernel and
# runs no more code, so after ten seconds it is given up.
end_tree() {
  k_round=0
  # Not by the status of find_tree: that is 1 if the process it listed last has ended meanwhile.
  while find_tree; [ -n "$k_tree" ] && [ $k_round -lt 200 ]; do
    if [ $k_round -eq 0 ]; then kill -TERM $k_tree; fi
    if [ $k_round -ge 40 ]; then kill -KILL $k_tree; fi
    k_round=$((k_round + 1))
    sleep 0.05 || sleep 1
  done
}

# Enforces the agent's time limit, even if the keeper itself is killed. USR2 tells the watcher to exit.
watch() {
  trap '' HUP INT QUIT TERM
  trap 'kill -KILL $!; exit' USR2
  sleep "$k_limit" &
  wait $!
  trap exit USR2
  : >"$k_folder/overdue"
  # In a subshell, $$ is still the keeper's pid.
  { read -r k_self k_stat </proc/self/stat; } || k_self=$(exec sh -c 'echo $PPID')
  end_tree
}

# Whether no folder of the PATH has the program. The shell itself may not say so: where it is not allowed to search one of
# the folders, dash reports "permission denied" and 126 also for a program that is not installed at all.
is_nowhere() {
  case $1 in */*) return 1 ;; esac
  k_dirs=$k_path:
  while [ -n "$k_dirs" ]; do
    k_dir=${k_dirs%%:*} k_dirs=${k_dirs#*:}
    [ -e "${k_dir:-.}/$1" ] && return 1
  done
  return 0
}

run_agent() {
  umask "$k_umask"
  PATH=$k_path
  if is_nowhere "$1"; then
    printf 'exec: %s: not found\n' "$1" >&2
    exit 127
  fi
  UMPIRE_ATTEMPT_MARK=$k_mark
  export UMPIRE_ATTEMPT_MARK
  if [ -n "${UMPIRE_KEEPER_ENV-}" ]; then
    set -f
    IFS=$(printf '\037')
    set -- /usr/bin/env $UMPIRE_KEEPER_ENV "$@"
    unset IFS
  fi
  unset UMPIRE_KEEPER UMPIRE_KEEPER_ENV
  exec "$@"
}

publish() {
  k_how=exited
  [ -e "$k_folder/overdue" ] && k_how=overdue
  printf '%s %s\n' $k_how "$k_code" >"$k_folder/result.new" && mv -f "$k_folder/result.new" "$k_folder/result"
}

find_start
win || exit 0

watch &
k_watcher=$!

# The agent runs in the foreground: a shell makes its background jobs ignore SIGINT, and they can't undo that.
# Appending, so that a program that reopens /dev/stderr and truncates it does not leave a hole in the file.
(run_agent "$@") <"$k_folder/prompt" >>"$k_folder/stdout" 2>>"$k_folder/stderr"
k_code=$?

kill -USR2 $k_watcher
wait $k_watcher
k_self=$$
end_tree

# On a full disk it waits for space: the attempt still counts as running, and no paid work is lost.
until publish || [ ! -d "$k_folder" ]; do sleep 5; done
