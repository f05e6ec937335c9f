#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A few cases on stores of which nothing is known: one refuses each call that the harness makes of
itself (probes, set-up, closing questions) with each status, one garbles its answer, one leaves out
each field of each read, two lag behind their own answers. Each is tried as an unknown store and as
one that is stated to offer what etcd offers.

    ci/jobs/unknown_stores.py [--call CALL ...] [--code N ...] [--folder DIR] [-- FLAGS OF run]

Prints one row per call: the verdicts of all statuses. Exit code 0 when there is no harness error in
any. Takes some minutes.
"""

import pathlib
import shlex
import sys
import tempfile
from collections import Counter

import job
from outcome import Tools, run_suite

CALLS = (
    "Maintenance/Status",
    "KV/Range",
    "KV/Put",
    "KV/DeleteRange",
    "KV/Txn",
    "KV/Compact",
    "Watch/Watch",
    "Lease/LeaseGrant",
    "Lease/LeaseRevoke",
    "Lease/LeaseKeepAlive",
    "Lease/LeaseTimeToLive",
    "Lease/LeaseLeases",
    "Auth/UserList",
    "Auth/UserAdd",
)
FIELDS = (
    "header",
    "header.cluster_id",
    "header.member_id",
    "header.revision",
    "header.raft_term",
    "kvs",
    "more",
    "count",
    "key",
    "create_revision",
    "mod_revision",
    "version",
    "value",
    "lease",
    "",
)
CASES = ":".join(
    (
        "CompactionSurfaced.StartAroundFloor",
        "Isolated.CancelledNeighbour",
        "Leased.KeptAlive",
        "Bookmarkable.RequestedProgress",
        "Authorized.OpenEndedRange",
        "Fragmented.*",
    )
)
VERDICTS = ("pass", "fail", "inconclusive", "unsupported", "harness_error")


def row(*cells: object) -> str:
    name, *numbers = cells
    return f"{name:44} " + " ".join(f"{cell!s:>8}" for cell in numbers)


class Table:
    def __init__(self, tools: Tools, folder: pathlib.Path, flags: list[str]) -> None:
        self.tools, self.folder, self.flags = tools, folder, flags
        self.good = True
        print(row("store", "exit", "pass", "fail", "inconcl", "unsupp", "harness"))

    def target(self, words: list[str]) -> str:
        command = shlex.join([self.tools.dishonest_server, *words, "--in-memory"])
        return f"command:{command} --listen {{host}}:{{port}}"

    def show(self, name: str, variants: list[list[str]]) -> None:
        for profile in ((), ("--target-profile", "etcd")):
            label = name + (", stated" if profile else "")
            first, *rest = (self.target(words) for words in variants)
            more = [word for target in rest for word in ("--target", target)]
            folder = self.folder / label.replace("/", ".").replace(" ", "_")
            flags = [*more, *profile, "--filter", CASES, *self.flags]
            code, results, output = run_suite(self.tools, first, folder, flags, limit=7200)
            (folder / "output.txt").write_text(output)
            verdicts = Counter("no target" if one.target_failed else one.verdict for one in results)
            self.good &= code in (0, 1, 2, 3) and not verdicts["harness_error"]
            print(row(label, code, *(verdicts[one] for one in VERDICTS)))
            sys.stdout.flush()


def main() -> int:
    parser = job.parser(__doc__)
    parser.add_argument("--call", action="append", default=[])
    parser.add_argument("--code", action="append", type=int, default=[])
    parser.add_argument("--folder", type=pathlib.Path)
    options, flags = job.parse(parser)
    tools = Tools.of(job.build("watchproof", "dishonest_server"))
    folder = (options.folder or pathlib.Path(tempfile.mkdtemp(prefix="wp-unknown-"))).absolute()
    folder.mkdir(parents=True, exist_ok=True)
    table = Table(tools, folder, flags)
    codes = options.code or range(1, 17)
    for call in options.call or CALLS:
        table.show(
            call,
            [["--behaviour", "refuses", "--call", call, "--code", str(code)] for code in codes],
        )
        table.show(call + " garbled", [["--behaviour", "garbles", "--call", call]])
    if not options.call:
        table.show(
            "a field of each read left out",
            [["--behaviour", "leaves-out", "--field", field] for field in FIELDS],
        )
        table.show("behind", [["--behaviour", name] for name in ("headers-behind", "reads-behind")])
    print(f"runs: {folder}")
    return 0 if table.good else 1


if __name__ == "__main__":
    sys.exit(main())
