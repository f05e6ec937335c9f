#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the scripts of exploration draw, and what never: the rules of the draw, counted.

    draws.py [--scripts 100000] [--seed 1] [--least 5] [--verbose]

Has so many scripts drawn as exploration of a real server does (ci/bench/drawn_scripts.cc), and
counts in how many each thing is that a rule asks for. Prints, for each rule, how many of its things
were drawn, those that never were, and the rarest. Exit code 1 if one was in fewer than --least
scripts.
"""

import argparse
import collections
import itertools
import json
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import job

Fields = Mapping[str, Any]
Script = list[tuple[str, Fields]]  # each step by its kind, with its fields

FEW_MANY = ("none", "one", "many")
TARGETS = ("version", "create", "mod", "value", "lease")
RELATIONS = ("=", ">", "<", "!=")
SORTED_BY = ("key", "version", "create", "mod", "value")
BOUNDS = ("min_mod", "max_mod", "min_create", "max_create")
# Constants of a store: how many, of what, and from which size on a thing is at the other side.
BYTES = {"64 KiB": 64 << 10, "1.5 MiB": 3 << 19}
BURSTS = {"128": 128, "512": 512, "1000": 1000, "1024": 1024}
PARTS = 128
COMMIT_MS = 100  # etcd's interval between two commits of its backend


def amount(things: int) -> str:
    return FEW_MANY[min(things, 2)]


def side(number: int, constant: int) -> str | None:
    """Of sizes that are near the constant."""
    if abs(number - constant) > max(8, constant // 100):
        return None
    return "below" if number < constant else "at" if number == constant else "above"


def words_of(part: str) -> tuple[str, list[str], set[str]]:
    """Kind, key and end, and options of an operation of a transaction."""
    words = part.split(" ")
    plain = [word for word in words[1:3] if "=" not in word and word not in ("lease", "keep-value")]
    return words[0], plain, {re.sub(r"=.*", "", word) for word in words[2:]}


def transactions(fields: Fields) -> Iterator[Fields]:
    yield fields
    for nested in fields.get("nested", ()):
        yield from transactions(nested)


def texts(txn: Fields, *names: str) -> list[str]:
    return [text for name in names for text in txn.get(name, ())]


# 1: every repeated field with none, one and many elements.


def repeated(script: Script) -> Iterator[str]:
    for kind, fields in script:
        if kind == "txn":
            for txn in transactions(fields):
                for name in ("when", "then", "otherwise", "nested"):
                    yield f"{name} of a transaction: {amount(len(txn.get(name, ())))}"
        if kind == "create":
            filters = fields.get("no_put", False) + fields.get("no_delete", False)
            yield f"filters: {amount(filters)}"


REPEATED = {
    *(
        f"{name} of a transaction: {n}"
        for name in ("when", "then", "otherwise", "nested")
        for n in FEW_MANY
    ),
    *(f"filters: {n}" for n in FEW_MANY),
}

# 2: every number relative to what is there, and off by one on both sides.


def distance(place: str) -> str:
    match = re.fullmatch(r"(head|floor|there)([+-]\d+)?", place)
    if not match:
        return "number" if place != "now" else "now"
    plus = int(match[2] or 0)
    return match[1] + ("" if plus == 0 else "-" if plus < 0 else "+")


def compared(condition: str) -> str:
    target, *_, operand = condition.split(" ")
    return f"compare of {target}: {distance(operand)}"


def relative(script: Script) -> Iterator[str]:
    for kind, fields in script:
        if kind == "create":
            yield f"start: {distance(fields.get('start', 'now'))}"
        if kind == "get":
            yield f"read at: {distance(fields.get('at', 'now'))}"
            for bound in BOUNDS:
                if bound in fields:
                    yield f"{bound}: {distance(fields[bound])}"
        if kind == "compact":
            yield f"compact: {distance(fields.get('at', 'head'))}"
        if kind == "txn":
            for txn in transactions(fields):
                for condition in txn.get("when", ()):
                    yield compared(condition)


def around(what: str, *bases: str) -> set[str]:
    return {f"{what}: {base}{sign}" for base in bases for sign in ("", "-", "+")}


RELATIVE = {
    *around("start", "head", "floor"),
    *around("read at", "head", "floor"),
    *around("compact", "head", "floor"),
    *(name for bound in BOUNDS for name in around(bound, "head")),
    *(
        name
        for target in ("version", "create", "mod")
        for name in around(f"compare of {target}", "there")
    ),
    "compare of value: there",
    "compare of lease: there",
}

# 3: pairs of options of each request.


def options_of_read(fields: Fields) -> dict[str, str]:
    limit = fields.get("limit", 0)
    end = fields.get("end", "")
    return {
        "keys_only": str(fields.get("keys_only", False)),
        "count_only": str(fields.get("count_only", False)),
        "limit": amount(limit),
        "sort_by": SORTED_BY[fields.get("sort_by", 0)],
        "order": fields.get("order", "none"),
        "mod": "bounds" if {"min_mod", "max_mod"} & fields.keys() else "any",
        "create": "bounds" if {"min_create", "max_create"} & fields.keys() else "any",
        "at": "now" if fields.get("at", "now") == "now" else "past",
        "serializable": str(fields.get("serializable", False)),
        "range": "key" if not end else "open" if end == "*" else "interval",
    }


READ = {
    "keys_only": ("True", "False"),
    "count_only": ("True", "False"),
    "limit": FEW_MANY,
    "sort_by": SORTED_BY,
    "order": ("none", "ascend", "descend"),
    "mod": ("bounds", "any"),
    "create": ("bounds", "any"),
    "at": ("now", "past"),
    "serializable": ("True", "False"),
    "range": ("key", "open", "interval"),
}


# RangeStream refuses orders by a field, and bounds.
READ_IN_PARTS = {
    name: READ[name]
    for name in ("keys_only", "count_only", "limit", "sort_by", "at", "serializable", "range")
}


def options_of_put(fields: Fields) -> dict[str, str]:
    names = ("ignore_value", "ignore_lease", "prev_kv", "lease", "bytes")
    return {name: str(bool(fields.get(name, False))) for name in names}


PUT = dict.fromkeys(
    ("ignore_value", "ignore_lease", "prev_kv", "lease", "bytes"), ("True", "False")
)


def options_of_delete(fields: Fields) -> dict[str, str]:
    end = fields.get("end", "")
    return {
        "prev_kv": str(fields.get("prev_kv", False)),
        "range": "key" if not end else "open" if end == "*" else "interval",
    }


DELETE = {"prev_kv": ("True", "False"), "range": ("key", "open", "interval")}


def pairs(what: str, options: Mapping[str, str]) -> Iterator[str]:
    for one, other in itertools.combinations(sorted(options), 2):
        yield f"{what}: {one}={options[one]} {other}={options[other]}"


def all_pairs(what: str, model: Mapping[str, Iterable[str]]) -> Iterator[str]:
    for one, other in itertools.combinations(sorted(model), 2):
        for a, b in itertools.product(model[one], model[other]):
            yield f"{what}: {one}={a} {other}={b}"


def pairs_of_options(script: Script) -> Iterator[str]:
    for kind, fields in script:
        if kind == "get":
            options = options_of_read(fields)
            yield from pairs("read", options)
            if fields.get("in_parts", False):
                yield from pairs("read in parts", {name: options[name] for name in READ_IN_PARTS})
        if kind == "put":
            yield from pairs("put", options_of_put(fields))
        if kind == "delete":
            yield from pairs("delete", options_of_delete(fields))
        if kind == "txn":
            for txn in transactions(fields):
                yield from of_transaction(txn)


def of_transaction(txn: Fields) -> Iterator[str]:
    for condition in txn.get("when", ()):
        target, *range_, relation, _ = condition.split(" ")
        many = "range" if len(range_) == 2 else "key"
        yield f"compare: {target} {relation} {many}"
    if len(txn.get("when", ())) > 1 and any(len(one.split(" ")) == 5 for one in txn["when"]):
        yield "compare: a range beside others"
    for part in texts(txn, "then", "otherwise"):
        kind, _, options = words_of(part)
        yield from (f"{kind} in a transaction: {option}" for option in options)


PAIRS = {
    *all_pairs("read", READ),
    *all_pairs("read in parts", READ_IN_PARTS),
    *all_pairs("put", PUT),
    *all_pairs("delete", DELETE),
    *(
        f"compare: {target} {relation} {many}"
        for target in TARGETS
        for relation in RELATIONS
        for many in ("key", "range")
    ),
    "compare: a range beside others",
    *(
        f"put in a transaction: {option}"
        for option in ("lease", "keep-value", "keep-lease", "previous")
    ),
    "delete in a transaction: previous",
    *(
        f"get in a transaction: {option}"
        for option in (
            "limit",
            "count_only",
            "keys_only",
            "sort_by",
            "order",
            "serializable",
            *BOUNDS,
        )
    ),
}

# 4: sizes at both sides of each constant of a store.


def sizes(script: Script) -> Iterator[str]:
    for kind, fields in script:
        if kind == "txn":
            for txn in transactions(fields):
                for name in ("then", "otherwise"):
                    near = side(len(txn.get(name, ())), PARTS)
                    if near:
                        yield f"operations of a branch: {near} {PARTS}"
        if kind == "put":
            for name, size in BYTES.items():
                near = side(fields.get("bytes", 0), size)
                if near:
                    yield f"bytes of a value: {near} {name}"
            for name, size in BURSTS.items():
                near = side(fields.get("times", 1), size)
                if near:
                    yield f"writes in a row: {near} {name}"
        if kind == "create":
            for name in ("128", "512"):
                near = side(fields.get("times", 1), BURSTS[name])
                if near:
                    yield f"watches in a row: {near} {name}"


SIDES = ("below", "at", "above")
SIZES = {
    *(f"operations of a branch: {near} {PARTS}" for near in SIDES),
    *(f"bytes of a value: {near} {name}" for near in SIDES for name in BYTES),
    *(f"writes in a row: {near} {name}" for near in SIDES for name in BURSTS),
    *(f"watches in a row: {near} {name}" for near in SIDES for name in ("128", "512")),
}

# 5: everything before and after a crash, with a commit between and without.

STEPS = (
    "create",
    "cancel",
    "progress",
    "put",
    "delete",
    "txn",
    "grant",
    "revoke",
    "keep_alive",
    "get",
    "compact",
    "defragment",
    "hash",
)


def around_crashes(script: Script) -> Iterator[str]:
    crashes = [at for at, (kind, _) in enumerate(script) if kind in ("crash", "crash_point")]
    for crash in crashes:
        committed = False
        for kind, fields in reversed(script[:crash]):
            if kind == "advance" and fields.get("ms", 1000) > COMMIT_MS:
                committed = True
            if kind in STEPS:
                yield f"{kind} before a crash, {'committed' if committed else 'not yet committed'}"
        for kind, _ in script[crash + 1 :]:
            if kind in STEPS:
                yield f"{kind} after a crash"
    kinds = {kind for kind, _ in script}
    for maintenance in {"defragment", "hash"} & kinds:
        for other in {"compact", "grant", "crash"} & kinds:
            yield f"{maintenance} and {other}"


CRASHES = {
    *(
        f"{kind} before a crash, {how}"
        for kind in STEPS
        for how in ("committed", "not yet committed")
    ),
    *(f"{kind} after a crash" for kind in STEPS),
    *(
        f"{one} and {other}"
        for one in ("defragment", "hash")
        for other in ("compact", "grant", "crash")
    ),
}

# 6: what passes while a member is cut off is of every kind, and watched in every way.

WRITES = ("put", "delete", "txn")
FLAGS = ("no_put", "no_delete", "prev_kv", "fragment", "progress_notify")


def in_disturbances(script: Script) -> Iterator[str]:
    watched: set[str] = set()
    how = None
    for kind, fields in script:
        if kind == "create":
            watched |= {flag for flag in FLAGS if fields.get(flag)}
        if kind == "disturb":
            how = fields.get("how", "isolate")
        if kind == "calm":
            how = None
        if how and kind in WRITES:
            yield f"{kind} while a member is in {how}"
            yield from (
                f"{kind} while a member is in {how}, a watch with {flag}" for flag in watched
            )


DISTURBED = {
    *(f"{kind} while a member is in {how}" for kind in WRITES for how in ("isolate", "pause")),
    *(
        f"{kind} while a member is in {how}, a watch with {flag}"
        for kind in WRITES
        for how in ("isolate", "pause")
        for flag in FLAGS
    ),
}

# 7: bursts, from several streams, while queues drain; keep-alives more than once on a stream.


def bursts(script: Script) -> Iterator[str]:
    stalled: set[int] = set()
    before = ("", 0)
    for kind, fields in script:
        stream = fields.get("stream", 1)
        if kind == "receive":
            stalled.add(stream)
        if kind in ("progress", "create", "cancel"):
            row = fields.get("times", 1) > 1 or before == (kind, stream)
            if row:
                yield f"{kind} in a burst"
                if stream in stalled:
                    yield f"{kind} in a burst, while its queue drains"
            if before[0] == kind and before[1] != stream:
                yield f"{kind} from two streams"
        before = (kind, stream)
    yield from kept_alive(script)


def kept_alive(script: Script) -> Iterator[str]:
    leases: set[int] = set()  # that were kept alive on the stream
    between: set[str] = set()
    for kind, fields in script:
        if kind in ("crash", "at_member"):
            leases.clear()
        between.add(kind)
        if kind != "keep_alive" or not fields.get("again"):
            continue
        if leases:
            yield "keep-alives more than once on a stream"
            yield from (
                f"keep-alives on a stream, {what} between"
                for what in ("revoke", "advance")
                if what in between
            )
        leases.add(fields.get("lease", 1))
        if len(leases) > 1:
            yield "keep-alives of several leases on a stream"
        between.clear()


BURSTS_OF = {
    *(
        f"{kind} {how}"
        for kind in ("progress", "create", "cancel")
        for how in ("in a burst", "in a burst, while its queue drains", "from two streams")
    ),
    "keep-alives more than once on a stream",
    "keep-alives of several leases on a stream",
    *(f"keep-alives on a stream, {what} between" for what in ("revoke", "advance")),
}

# 8: rights.


def rights(script: Script) -> Iterator[str]:
    right: tuple[str, str] | None = None
    for kind, fields in script:
        if kind == "restrict":
            right = right or (fields.get("key", ""), fields.get("end", ""))
            yield "a right of a range" if right[1] else "a right of a key"
        if kind == "create" and right:
            key, end = fields.get("key", "*"), fields.get("end", "")
            if (key, end) == right:
                yield "a watch of the range that may be read"
            if key == right[1] and not end:
                yield "a watch of the key at the end of the range"
            if end == "*":
                yield "a watch to the end of all keys"


RIGHTS = {
    "a right of a key",
    "a right of a range",
    "a watch of the range that may be read",
    "a watch of the key at the end of the range",
    "a watch to the end of all keys",
}

# 9: each setting of the server, as by default and otherwise, beside each other one.

SETTINGS = (
    "progress_ms",
    "unsynced",
    "disk",
    "snapshot_count",
    "compaction_batch",
    "catch_up_entries",
)


def settings(script: Script) -> Iterator[str]:
    server = next(fields for kind, fields in script if kind == "server")
    given = [name for name in SETTINGS if server["server_" + name]]
    yield from (f"{name} {'given' if name in given else 'by default'}" for name in SETTINGS)
    yield from (f"{one} and {other}" for one, other in itertools.combinations(given, 2))


# A cluster always keeps its data, and only one has members to catch up.
SET = {
    *(f"{name} {how}" for name in SETTINGS for how in ("given", "by default")),
    *(f"{one} and {other}" for one, other in itertools.combinations(SETTINGS, 2)),
} - {"disk and catch_up_entries"}

RULES = (
    ("1 repeated fields", repeated, REPEATED),
    ("2 numbers relative to what is there", relative, RELATIVE),
    ("3 pairs of options", pairs_of_options, PAIRS),
    ("4 sizes at both sides of a constant", sizes, SIZES),
    ("5 before and after a crash", around_crashes, CRASHES),
    ("6 what passes at a fault", in_disturbances, DISTURBED),
    ("7 bursts", bursts, BURSTS_OF),
    ("8 rights", rights, RIGHTS),
    ("9 settings of the server", settings, SET),
)


def drawn(lines: Iterable[str]) -> Iterator[Script]:
    for line in lines:
        yield [(step.pop("op").removeprefix("explored "), step) for step in json.loads(line)]


def main() -> int:
    parser = job.parser(__doc__)
    parser.add_argument("--scripts", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--least", type=int, default=5, help="scripts that each thing is in")
    parser.add_argument("--verbose", action="store_true", help="every thing with its number")
    options = parser.parse_args()
    binary = job.build("drawn_scripts") / "ci/bench/drawn_scripts"
    command = (binary, str(options.scripts), str(options.seed))
    counts: list[collections.Counter[str]] = [collections.Counter() for _ in RULES]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for script in drawn(process.stdout or ()):
            for (_, things_of, _), count in zip(RULES, counts, strict=True):
                count.update(set(things_of(script)))
    if process.returncode != 0:
        return process.returncode
    print(f"{options.scripts:,} scripts\n")
    return max(
        report(rule, wanted, count, options)
        for (rule, _, wanted), count in zip(RULES, counts, strict=True)
    )


def report(
    rule: str, wanted: set[str], count: collections.Counter[str], options: argparse.Namespace
) -> int:
    """1: something was drawn too rarely."""
    rare = sorted((count[name], name) for name in wanted)
    few = [name for number, name in rare if number < options.least]
    print(f"{rule}: {len(wanted) - len(few)} of {len(wanted)} drawn, the rarest in {rare[0][0]}")
    for name in few:
        print(f"  never: {name}" if count[name] == 0 else f"  in {count[name]}: {name}")
    if options.verbose:
        for number, name in rare:
            print(f"  {number:8} {name}")
    return 1 if few else 0


if __name__ == "__main__":
    sys.exit(main())
