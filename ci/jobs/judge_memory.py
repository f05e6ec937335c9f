#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges recordings of perfect runs and prints what time and memory it took.

judge_memory.py BUILD_FOLDER SCRATCH_FOLDER EVENTS...

hot: 1000 watchers of one key; ranges: 10,000 watchers of random ranges, with previous values. The
store is compacted after every 1000 writes, so the memory of the judge of watches does not grow with
the number of events. `check` judges the calls too, once they are complete: each write takes some.
"""

import os
import pathlib
import subprocess
import sys


def judge(command):
    """Returns the CPU seconds and the peak of the resident memory in MiB."""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        sys.exit(f"{' '.join(map(str, command))} ended with status {status}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    build = pathlib.Path(sys.argv[1])
    recording = str(pathlib.Path(sys.argv[2]) / "load.wire.zst")
    for kind in ("hot", "ranges"):
        for events in sys.argv[3:]:
            record = [build / "ci/bench/record_load", kind, events, recording]
            made = int(subprocess.check_output(record))
            size = os.path.getsize(recording) / 1024**2
            for what, command in (
                ("watches", [build / "ci/bench/judge_file", recording]),
                ("check", [build / "watchproof", "check", recording]),
            ):
                seconds, peak = judge(command)
                pace = made / seconds / 1e6
                print(
                    f"{kind:<7}{what:<8}{made:>10} events, {size:6.1f} MiB on disk:"
                    f" {seconds:5.1f} s of CPU, {pace:.2f} million a second, peak {peak:.0f} MiB",
                    flush=True,
                )
    os.remove(recording)


main()
