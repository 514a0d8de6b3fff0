#!/usr/bin/env bash
# Brings a copy of a folder up to date; what an earlier run has copied is not copied again.
#
#     mirror.sh FROM/ TO/ [OPTION-OF-RSYNC]...
#
# --partial keeps the beginning of a file that was cut, and --delete removes what a killed rsync has
# left. --no-whole-file makes rsync use that beginning where both folders are on this machine, too.
#
# With exec, rsync takes the place of the shell: a signal, and a kill, reach rsync itself.
exec rsync --archive --partial --no-whole-file --delete "$@"
