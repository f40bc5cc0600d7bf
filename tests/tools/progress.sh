# Sourced by setup.sh: long commands show what they are doing and how far they are. On a terminal that is one live line;
# in a log a line every $beat seconds. Both get a line when a command ends, unless ninja found nothing to do or a command
# ended at once and without a word.
beat=15
live=
[ -t 2 ] && live=1

took() { if [ "$1" -lt 60 ]; then printf '%d s' "$1"; else printf '%d min %02d s' $(($1 / 60)) $(($1 % 60)); fi; }

# show TEXT: follows the output of a command on stdin; ninja's [n/m] says how far it is.
show() {
  local started=$SECONDS said=$SECONDS seen=-1 line="" part at="" idle=1 status
  while true; do
    status=0
    IFS= read -r -t 1 part || status=$?
    line+=$part
    if [ "$status" = 0 ]; then
      [[ $line =~ ^\[([0-9]+/[0-9]+)\] ]] && at=" ${BASH_REMATCH[1]}"
      idle=
      [[ $line == "ninja: no work to do."* ]] && idle=1
      line=
    elif [ "$status" -le 128 ]; then  # the end; a higher status is the second that has passed
      break
    fi
    if [ -n "$live" ] && [ "$seen" != "$SECONDS$at" ]; then
      printf '\r\033[K%.79s' "msjit: $1$at, $(took $((SECONDS - started)))" >&2
      seen=$SECONDS$at
    elif [ -z "$live" ] && [ $((SECONDS - said)) -ge $beat ]; then
      printf 'msjit: %s%s, %s so far\n' "$1" "$at" "$(took $((SECONDS - started)))" >&2
      said=$SECONDS
    fi
  done
  [ -n "$live" ] && printf '\r\033[K' >&2
  [ -n "$idle" ] && [ $((SECONDS - started)) -lt 2 ] && return
  printf 'msjit: %s%s, %s\n' "$1" "$at" "$(took $((SECONDS - started)))" >&2
}

# follow TEXT LOG COMMAND...: runs the command with its output in LOG; the status is the command's.
follow() {
  local text=$1 log=$2
  shift 2
  "$@" 2>&1 | tee "$log" | show "$text"
  return "${PIPESTATUS[0]}"
}
