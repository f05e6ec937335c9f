#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long the tests of a build took: by label, and the slowest. Runs nothing: CTest keeps it.

    ci/jobs/test_times.py [BUILD_FOLDER] [SLOWEST]        default: build/release 15

Seconds are means over the runs in this build folder.
"""

import collections
import json
import pathlib
import subprocess
import sys
from collections.abc import Iterator


def costs(build: pathlib.Path) -> dict[str, float]:
    """Test name -> mean seconds, of those that ran."""
    text = (build / "Testing" / "Temporary" / "CTestCostData.txt").read_text()
    rows = [line.rsplit(" ", 2) for line in text.split("---")[0].splitlines()]
    return {name: float(seconds) for name, runs, seconds in rows if int(runs) > 0}


def labels(build: pathlib.Path) -> Iterator[tuple[str, str]]:
    listed = subprocess.run(
        ["ctest", "--show-only=json-v1"], cwd=build, check=True, capture_output=True
    ).stdout
    for test in json.loads(listed)["tests"]:
        named = {each["name"]: each["value"] for each in test.get("properties", [])}
        yield test["name"], ", ".join(named.get("LABELS", ["none"]))


def main() -> None:
    build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build/release")
    slowest = int(sys.argv[2]) if len(sys.argv) > 2 else 15
    seconds = costs(build)
    by_label = collections.defaultdict(list)
    for name, label in labels(build):
        by_label[label].append(seconds.get(name, 0))
    print(f"{'label':12}{'tests':>8}{'seconds':>10}")
    for label, each in sorted(by_label.items(), key=lambda item: -sum(item[1])):
        print(f"{label:12}{len(each):>8}{sum(each):>10.1f}")
    print()
    for name, took in sorted(seconds.items(), key=lambda item: -item[1])[:slowest]:
        print(f"{took:8.1f} s  {name}")


if __name__ == "__main__":
    main()
