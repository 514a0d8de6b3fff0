#!/usr/bin/env bash
# Compresses every file of a folder into another one, and can be ended between two files.
#
#     compress.sh FROM TO [PAUSE-SECONDS]
#
# The finished files are the checkpoint: what is there is not done again.
# Exit status: 0 all are compressed, 75 saved and not done yet, else that of gzip.
set -euo pipefail

from=$1 to=$2 pause=${3:-0}

# The trap runs when the command in the foreground has ended, so it only leaves a word.
warned=
trap 'warned=yes' TERM

mkdir -p "$to"
# A name of this run's own: a gzip that has outlived a killed script may still write to another.
fresh=$to/.new.$$
rm -f "$to"/.new.*
for file in "$from"/*; do
  done=$to/${file##*/}.gz
  [[ ! -e $done ]] || continue
  [[ -z $warned ]] || exit 75
  # The signal goes to the whole group, so it may end gzip, too. Then this file is done next time.
  status=0
  gzip -n <"$file" >"$fresh" || status=$?
  [[ -z $warned ]] || exit 75
  ((status == 0)) || exit "$status"
  sync "$fresh"
  mv "$fresh" "$done"
  sleep "$pause" || true
done
