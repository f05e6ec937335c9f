#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The store under test of the image: the embedded one, in trouble on some pods. TROUBLE has words
# INDEX:KIND:PODS, for the first so many pods of that index. How many came before this one is what
# the controller of Jobs has written into its annotations.
earlier=$((FAILURES + ${IGNORED:-0}))
for word in $TROUBLE; do
  kind=${word#*:}
  pods=${kind#*:}
  kind=${kind%:*}
  [ "${word%%:*}" = "$JOB_COMPLETION_INDEX" ] && [ "$earlier" -lt "$pods" ] || continue
  case $kind in
    finding) exec watchproof store --defect delete-at-floor-lost "$@" ;;
    no-start) exit 1 ;;
    # The process of the attempt, as by the kernel when memory runs out: trouble of the machine.
    killed) kill -KILL "$PPID" ;;
    # See node.py; without an end of its own. HOME of the image is /tmp, TMPDIR that of the attempt.
    pressure) : >"$HOME/pressure" && exec sleep infinity ;;
  esac
done
exec watchproof store "$@"
