#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges recordings of perfect runs and prints what time and memory it took.

judge_memory.py BUILD_FOLDER SCRATCH_FOLDER EVENTS...

hot: 1000 watchers of one key; ranges: 10,000 watchers of random ranges, with previous values.
"""

import os
import pathlib
import subprocess
import sys


def judge(program, recording):
    """Returns the CPU seconds and the peak of the resident memory in MiB."""
    child = subprocess.Popen([program, "check", recording], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        sys.exit(f"{program} check {recording} ended with status {status}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    build = pathlib.Path(sys.argv[1])
    recording = str(pathlib.Path(sys.argv[2]) / "load.wire.zst")
    for kind in ("hot", "ranges"):
        for events in sys.argv[3:]:
            record = [build / "harness/checkers/record_load", kind, events, recording]
            made = int(subprocess.check_output(record))
            size = os.path.getsize(recording) / 1024**2
            seconds, peak = judge(build / "watchproof", recording)
            pace = made / seconds / 1e6
            print(
                f"{kind:<7} {made:>10} events, {size:6.1f} MiB on disk: {seconds:5.1f} s of CPU,"
                f" {pace:.2f} million a second, peak {peak:.0f} MiB",
                flush=True,
            )
    os.remove(recording)


main()
