# SPDX-License-Identifier: Apache-2.0
"""The commands that the embedded store and etcd must answer alike, in the order they are given.

Every step builds on those before it. Numbers in comments are revisions after the step.
"""

from dataclasses import dataclass

from client import Etcdctl, Talk, watch_events


@dataclass
class Run:
    """A command that ends by itself; `text` is its standard input."""

    arguments: list[str]
    text: str = ""

    def on(self, etcdctl: Etcdctl) -> list[str]:
        return etcdctl.run(self.arguments, self.text).describe()


@dataclass
class Grant:
    """A new lease, from here on called by a name: {name} in the arguments of later steps."""

    name: str
    seconds: int

    @property
    def arguments(self) -> list[str]:
        return ["lease", "grant", str(self.seconds)]

    def on(self, etcdctl: Etcdctl) -> list[str]:
        outcome = etcdctl.run(self.arguments)
        words = outcome.output[0].split() if outcome.output else []
        if words[:1] != ["lease"]:
            return outcome.describe()
        etcdctl.names[self.name] = words[1]
        return [line.replace(words[1], self.name) for line in outcome.describe()]


@dataclass
class Watch:
    """A watch that is read until the line `until`; see Etcdctl.watch for both."""

    arguments: list[str]
    until: str | None = None
    talk: Talk = ()

    def on(self, etcdctl: Etcdctl) -> list[str]:
        outcome = etcdctl.watch(self.arguments, self.talk, self.until)
        if "json" in self.arguments:
            outcome.output = watch_events(outcome.output)
        return outcome.describe()


def txn(compares: str, success: str = "", failure: str = "", *flags: str) -> Run:
    """Three parts, each ended by an empty line."""
    parts = (part + "\n" if part else "" for part in (compares, success, failure))
    return Run(["txn", *flags], "".join(part + "\n" for part in parts))


# An empty store is at revision 1.
PUTS = [
    Run(["get", "", "--prefix", "-w", "json"]),
    Run(["put", "color", "red"]),  # 2
    Run(["put", "--prev-kv", "color", "green"]),  # 3
    Run(["put", "--prev-kv", "color", "blue", "-w", "json"]),  # 4
    Run(["put", "fruit/apple", "30"]),  # 5
    Run(["put", "fruit/banana", "10"]),  # 6
    Run(["put", "fruit/cherry", "20", "-w", "fields"]),  # 7
    Run(["put", "fruit/apple", "40", "--prev-kv", "-w", "fields"]),  # 8
    Run(["put", "hollow", ""]),  # 9
    Run(["put", "a key with spaces", "gr\u00fcn"]),  # 10
    Run(["put", "fruit/banana", "--ignore-value", "--prev-kv"]),  # 11
    Run(["put", "", "nothing"]),
    Run(["put", "nowhere", "--ignore-value"]),
]

GETS = (
    [
        Run(["get", "color"]),
        Run(["get", "color", "-w", "json"]),
        Run(["get", "color", "-w", "fields"]),
        Run(["get", "color", "--print-value-only"]),
        Run(["get", "color", "--rev", "2", "-w", "json"]),
        Run(["get", "color", "--rev", "3"]),
        Run(["get", "color", "--rev", "99"]),
        Run(["get", "color", "--consistency", "s", "-w", "json"]),
        Run(["get", "missing", "-w", "json"]),
        Run(["get", "hollow", "-w", "fields"]),
        Run(["get", "a key with spaces", "--hex"]),
        Run(["get", "--prefix", "fruit/"]),
        Run(["get", "--prefix", "fruit/", "--keys-only"]),
        Run(["get", "--prefix", "fruit/", "--keys-only", "-w", "json"]),
        Run(["get", "--prefix", "fruit/", "--rev", "6", "-w", "json"]),
        Run(["get", "--prefix", "fruit/", "--limit", "2", "-w", "fields"]),
        Run(["get", "--prefix", "fruit/", "--limit", "3", "-w", "json"]),
        Run(["get", "--prefix", "", "-w", "json"]),
        Run(["get", "--from-key", "fruit/banana", "-w", "json"]),
        Run(["get", "fruit/a", "fruit/c", "-w", "json"]),
        Run(["get", "fruit/c", "fruit/a", "-w", "json"]),
    ]
    + [
        Run(["get", "--prefix", "fruit/", "--sort-by", by, "--order", order, "-w", "json"])
        for by in ("CREATE", "KEY", "MODIFY", "VALUE", "VERSION")
        for order in ("ASCEND", "DESCEND")
    ]
    + [Run(["get", "--prefix", "", "--sort-by", "VALUE", "--order", "DESCEND", "--limit", "2"])]
)

DELETES = [
    Run(["del", "missing"]),
    Run(["del", "missing", "-w", "json"]),
    Run(["del", "hollow"]),  # 12
    Run(["del", "hollow"]),
    Run(["del", "--prefix", "--prev-kv", "fruit/"]),  # 13
    Run(["get", "--prefix", "fruit/", "-w", "json"]),
    Run(["get", "--prefix", "fruit/", "--rev", "12", "--keys-only"]),
    Run(["put", "fruit/apple", "50", "-w", "json"]),  # 14
    Run(["get", "fruit/apple", "-w", "json"]),
    Run(["del", "a key with spaces", "--prev-kv", "-w", "json"]),  # 15
    Run(["del", "", "-w", "json"]),
]

TXNS = [
    txn('value("color") = "blue"', "put t/1 yes", "put t/1 no"),  # 16
    txn('value("color") = "red"', "put t/1 yes", "put t/2 no", "-w", "json"),  # 17
    txn(
        'version("color") = "3"\ncreate("color") = "2"\nmod("color") = "4"',
        "get color\nput t/3 all\ndel t/2",
        "put t/3 none",
        "-w",
        "json",
    ),  # 18
    txn('version("color") > "3"', "get color", "get --prefix t/"),
    txn('mod("color") < "5"', "get --prefix t/", "", "-w", "json"),
    txn('mod("color") != "4"', "get color", "get missing", "-w", "json"),
    txn('create("missing") = "0"\nversion("missing") = "0"', "put t/4 new", ""),  # 19
    txn('value("missing") = ""', "get color", "get t/4"),
    txn("", "put t/5 a\nput t/6 b\nget --prefix t/", "", "-w", "json"),  # 20
    txn("", "put t/5 a\nget t/5\ndel t/6\nget --prefix t/", "", "-w", "json"),  # 21
    txn("", "del t/5\nput t/7 c", "", "-w", "fields"),  # 22
    txn("", "put t/8 1\nput t/8 2"),
    txn("", "put t/8 1\ndel --prefix t/"),
    txn("", "del t/1\ndel --prefix t/", "", "-w", "json"),  # 23
    txn('value("color") = "blue"', "get color", "put t/9 1\nput t/9 2"),
    txn("", "get color --rev 99"),
    txn("", "", ""),
    Run(["get", "--prefix", "", "-w", "json"]),
]

WATCHES = [
    Run(["put", "color", "end"]),  # 24
    Watch(["watch", "color", "--rev", "1"], until="end"),
    Watch(["watch", "color", "--rev", "3", "--prev-kv"], until="end"),
    Watch(["watch", "color", "--rev", "2", "--prev-kv", "-w", "json"], until='"mod_revision":24'),
    Run(["put", "fruit/fig", "end"]),  # 25
    Watch(["watch", "--prefix", "fruit/", "--rev", "2"], until="end"),
    Watch(["watch", "--prefix", "fruit/", "--rev", "6", "--prev-kv"], until="end"),
    Watch(
        ["watch", "--prefix", "fruit/", "--rev", "6", "--prev-kv", "-w", "json"],
        until='"mod_revision":25',
    ),
    Watch(
        ["watch", "fruit/b", "fruit/z", "--rev", "6", "--prev-kv", "-w", "json"],
        until='"mod_revision":25',
    ),
    Watch(
        ["watch", "--prefix", "", "--rev", "1", "--prev-kv", "-w", "json"],
        until='"mod_revision":25',
    ),
    Watch(["watch", "--prefix", "t/", "--rev", "2", "-w", "json"], until='"mod_revision":23'),
    # In the future: nothing of what is written before its start.
    Watch(
        ["watch", "later", "--rev", "28", "--prev-kv"],
        until="fourth",
        talk=(
            (None, Run(["put", "later", "first"])),  # 26
            (None, Run(["put", "later", "second"])),  # 27
            (None, Run(["put", "later", "third"])),  # 28
            (None, Run(["put", "later", "fourth"])),  # 29
        ),
    ),
    # From now on: the answer to the progress request shows that the watch exists.
    Watch(
        ["watch", "-i"],
        until="end",
        talk=(
            (None, "watch --prefix live/ --prev-kv"),
            (None, "progress"),
            ("progress notify: 29", Run(["put", "live/a", "1"])),  # 30
            (None, txn("", "put live/a 2\nput live/b 3\nput elsewhere 4")),  # 31
            (None, Run(["del", "--prefix", "live/"])),  # 32
            ("DELETE", "progress"),
            ("progress notify: 32", Run(["put", "live/c", "end"])),  # 33
        ),
    ),
]

COMPACTION = [
    Run(["compaction", "20"]),
    Run(["compaction", "20"]),
    Run(["compaction", "5"]),
    Run(["compaction", "99"]),
    Run(["get", "color", "--rev", "19"]),
    Run(["get", "color", "--rev", "20", "-w", "json"]),
    Run(["get", "--prefix", "", "--rev", "20", "-w", "json"]),
    Run(["get", "--prefix", "", "-w", "json"]),
    txn("", "get color --rev 19"),
    txn("", "get color --rev 20", "", "-w", "json"),
    Watch(["watch", "color", "--rev", "19"]),
    Watch(["watch", "color", "--rev", "1", "-w", "json"]),
    Watch(
        ["watch", "--prefix", "t/", "--rev", "20", "--prev-kv", "-w", "json"],
        until='"mod_revision":23',
    ),
    Watch(["watch", "color", "--rev", "21", "--prev-kv"], until="end"),
    Run(["put", "color", "new", "--prev-kv", "-w", "json"]),  # 34
    Run(["del", "color", "--prev-kv"]),  # 35
    Run(["compaction", "35", "--physical"]),
    Run(["get", "color", "--rev", "34"]),
    Run(["get", "color", "--rev", "35", "-w", "json"]),
    Run(["put", "color", "again", "-w", "json"]),  # 36
    Run(["get", "color", "-w", "json"]),
    # Not from 35: etcd 3.4 loses the delete at the floor (#18089), the store does not.
    Watch(["watch", "color", "--rev", "36", "-w", "json"], until='"mod_revision":36'),
    Watch(["watch", "color", "--rev", "34"]),
]

LEASES = [
    Run(["lease", "list"]),
    Grant("short", 0),
    Grant("one", 600),
    Run(["lease", "timetolive", "{one}"]),
    Run(["put", "--lease={one}", "held/a", "1"]),  # 37
    Run(["put", "--lease={one}", "held/b", "2", "--prev-kv", "-w", "json"]),  # 38
    Run(["get", "--prefix", "held/", "-w", "json"]),
    Run(["lease", "timetolive", "{one}", "--keys"]),
    Run(["lease", "timetolive", "{one}", "--keys", "-w", "json"]),
    Run(["lease", "keep-alive", "--once", "{one}"]),
    Run(["lease", "keep-alive", "--once", "{one}", "-w", "json"]),
    Run(["put", "held/a", "free"]),  # 39
    Run(["put", "held/b", "kept", "--ignore-lease"]),  # 40
    Run(["put", "held/b", "--ignore-value", "--ignore-lease", "--prev-kv"]),  # 41
    Run(["put", "held/b", "--lease={one}", "--ignore-lease"]),
    Run(["put", "held/c", "--lease=abc", "nothing"]),
    Run(["put", "held/c", "--lease={one}", "3"]),  # 42
    Run(["lease", "timetolive", "{one}", "--keys"]),
    Run(["lease", "revoke", "{one}"]),  # 43
    Run(["lease", "revoke", "{one}"]),
    Run(["lease", "timetolive", "{one}", "--keys"]),
    Run(["lease", "keep-alive", "--once", "{one}"]),
    Run(["put", "held/c", "--lease={one}", "3"]),
    Run(["get", "--prefix", "held/", "-w", "json"]),
    Watch(
        ["watch", "--prefix", "held/", "--rev", "37", "--prev-kv", "-w", "json"],
        until='"mod_revision":43',
    ),
    Grant("two", 2),
    Run(["put", "--lease={two}", "held/z", "soon gone"]),  # 44
    # It is not kept alive: this waits for its expiry.
    Watch(["watch", "held/z", "--rev", "44", "--prev-kv"], until="DELETE"),  # 45
    Run(["lease", "timetolive", "{two}"]),
    Run(["get", "held/z", "-w", "json"]),
    Run(["lease", "grant", "9000000001"]),
    Run(["lease", "revoke", "0"]),
]

STEPS = PUTS + GETS + DELETES + TXNS + WATCHES + COMPACTION + LEASES
