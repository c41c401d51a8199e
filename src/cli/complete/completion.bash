# Completion of umpire in bash. Load it with: source <(umpire complete bash)
# This script evaluates neither the typed words nor the answer.
__umpire_complete() {
  local line at directive=0
  local -a words=() values=() texts=()
  # Bash splits --option=value into three words. This joins them again.
  for ((at = 1; at <= COMP_CWORD; at++)); do
    line=${COMP_WORDS[at]}
    if ((${#words[@]} > 0)) && { [[ $line == '=' && ${words[${#words[@]} - 1]} == --* ]] ||
      [[ ${words[${#words[@]} - 1]} == --*= ]]; }; then
      words[${#words[@]} - 1]+=$line
    else
      words+=("$line")
    fi
  done
  while IFS= read -r line; do
    if [[ $line == :* ]]; then
      directive=${line#:}
    else
      values+=("${line%%$'\t'*}")
      texts+=("${line#*$'\t'}")
    fi
  done < <(umpire complete -- "${words[@]}" 2>/dev/null)

  COMPREPLY=()
  if ((${#values[@]} == 0)); then
    ((directive & 4)) || compopt -o default 2>/dev/null
    return
  fi
  compopt -o nosort 2>/dev/null
  # Descriptions are shown only in a list. A single candidate is inserted into the line, so it must have none.
  for at in "${!values[@]}"; do
    if ((${#values[@]} > 1)) && [[ ${COMP_TYPE:-9} != 37 && ${COMP_TYPE:-9} != 42 && -n ${texts[at]} ]]; then
      COMPREPLY+=("$(printf '%-16s  (%s)' "${values[at]}" "${texts[at]}")")
    else
      COMPREPLY+=("${values[at]}")
    fi
  done
}
complete -F __umpire_complete umpire
