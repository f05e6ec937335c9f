# SPDX-License-Identifier: Apache-2.0
"""What the embedded store and etcd must answer alike with users, roles and permissions.

Every step builds on those before it, in the order of SETUP, RIGHTS, ADMIN. With TLS the same steps
run over certificates; see secure_test.py. Left out are the calls in which releases of etcd differ
among themselves: status, compaction and member list for users other than root, and empty passwords.
"""

from steps import Run, Watch, txn

ROOT = ["--user", "root:r"]
ALICE = ["--user", "alice:a"]
BOB = ["--user", "bob:b"]

SETUP = [
    Run(["put", "a", "1"]),
    Run(["user", "add", "root:r"]),
    Run(["user", "add", "root:r"]),
    Run(["user", "add", "alice:a"]),
    Run(["user", "add", "bob:b"]),
    Run(["user", "add", "cert", "--no-password"]),
    Run(["role", "add", "reader"]),
    Run(["role", "add", "reader"]),
    Run(["role", "add", "unused"]),
    Run(["role", "grant-permission", "reader", "read", "a", "c"]),
    Run(["role", "grant-permission", "reader", "readwrite", "shared/", "--prefix"]),
    Run(["role", "grant-permission", "reader", "write", "x", "--from-key"]),
    Run(["role", "grant-permission", "reader", "write", "own"]),
    Run(["role", "grant-permission", "nothing", "read", "a"]),
    Run(["role", "get", "reader"]),
    Run(["role", "get", "reader", "-w", "json"]),
    Run(["role", "get", "nothing"]),
    Run(["role", "list"]),
    Run(["user", "grant-role", "alice", "reader"]),
    Run(["user", "grant-role", "alice", "reader"]),
    Run(["user", "grant-role", "alice", "nothing"]),
    Run(["user", "grant-role", "absent", "reader"]),
    Run(["user", "grant-role", "root", "root"]),
    Run(["user", "revoke-role", "bob", "reader"]),
    Run(["user", "get", "alice"]),
    Run(["user", "get", "alice", "--detail"]),
    Run(["user", "get", "absent"]),
    Run(["user", "list"]),
    Run(["user", "delete", "absent"]),
    Run(["user", "passwd", "absent", "--interactive=false"], "secret\n"),
    Run([*ALICE, "get", "a"]),  # auth is off: the login is not asked for
    Run(["auth", "enable"]),
]

RIGHTS = [
    Run(["get", "a"]),
    Run(["put", "a", "2"]),
    Run(["--user", "alice:wrong", "get", "a"]),
    Run(["--user", "absent:n", "get", "a"]),
    Run([*ROOT, "put", "a", "3"]),
    Run([*ROOT, "put", "b", "4"]),
    Run([*ROOT, "put", "z", "5"]),
    Run([*ALICE, "get", "a"]),
    Run([*ALICE, "get", "a", "c", "-w", "json"]),
    Run([*ALICE, "get", "a", "d"]),
    Run([*ALICE, "get", "a", "--from-key"]),
    Run([*ALICE, "get", "", "--prefix"]),
    Run([*ALICE, "get", "b", "a"]),
    Run([*ALICE, "get", "d", "c"]),
    Run([*ALICE, "get", "z"]),
    Run([*ALICE, "put", "a", "6"]),
    Run([*ALICE, "put", "own", "7"]),
    Run([*ALICE, "put", "own", "8", "--prev-kv"]),
    Run([*ALICE, "put", "shared/1", "9", "--prev-kv"]),
    Run([*ALICE, "put", "zzz", "10"]),
    Run([*ALICE, "del", "a"]),
    Run([*ALICE, "del", "x", "--from-key", "-w", "json"]),
    Run([*ALICE, "del", "x", "--from-key", "--prev-kv"]),
    Run([*ALICE, "del", "shared/", "--prefix", "--prev-kv"]),
    Run([*BOB, "get", "a"]),
    Run([*BOB, "put", "a", "11"]),
    txn('value("a") = "3"', "get a", "put own 12", *ALICE),
    txn('value("own") = "3"', "get a", "", *ALICE),
    txn("", "get a", "put a 13", *ALICE),
    txn("", "put own 14\nget b", "get z", *ALICE),
    txn("", "put shared/2 15\nput own 16", "", *ALICE, "-w", "json"),
    Watch([*ALICE, "watch", "a", "--rev", "1"], until="3"),
    Watch([*ALICE, "watch", "a", "c", "--rev", "1"], until="4"),
    Watch([*ALICE, "watch", "a", "d"]),
    Watch([*ALICE, "watch", "a", "--from-key"]),
    Watch([*ALICE, "watch", "", "--prefix"]),
    Watch([*ALICE, "watch", "own"]),
    Watch([*BOB, "watch", "a"]),
    Watch(["watch", "a"]),
    Watch([*ROOT, "watch", "", "--prefix", "--rev", "1"], until="16"),
]

ADMIN = [
    Run([*ALICE, "user", "list"]),
    Run([*ALICE, "user", "get", "alice"]),
    Run([*ALICE, "user", "get", "root"]),
    Run([*ALICE, "role", "get", "reader"]),
    Run([*ALICE, "role", "get", "unused"]),
    Run([*ALICE, "role", "add", "mine"]),
    Run([*ALICE, "user", "grant-role", "alice", "root"]),
    Run([*ALICE, "auth", "disable"]),
    Run(["auth", "disable"]),
    Run([*ROOT, "user", "delete", "root"]),
    Run([*ROOT, "user", "revoke-role", "root", "root"]),
    Run([*ROOT, "role", "revoke-permission", "reader", "a"]),
    Run([*ROOT, "role", "revoke-permission", "reader", "a", "c"]),
    Run([*ALICE, "get", "a"]),
    Watch([*ALICE, "watch", "a"]),
    Run([*ROOT, "role", "grant-permission", "reader", "read", "a"]),
    Run([*ALICE, "get", "a"]),
    Run([*ALICE, "get", "a", "c"]),
    Run([*ROOT, "user", "passwd", "alice", "--interactive=false"], "new\n"),
    Run([*ALICE, "get", "a"]),
    Run(["--user", "alice:new", "get", "a"]),
    Run([*ROOT, "role", "delete", "reader"]),
    Run(["--user", "alice:new", "get", "a"]),
    Run([*ROOT, "user", "get", "alice"]),
    Run([*ROOT, "user", "delete", "alice"]),
    Run(["--user", "alice:new", "get", "a"]),
    Run([*ROOT, "alarm", "list"]),
    Run([*ROOT, "move-leader", "1234"]),
    Run([*ROOT, "auth", "disable"]),
    Run(["get", "", "--prefix", "-w", "json"]),
]

# The client certificate names the user.
BY_NAME = [
    Run(["put", "a", "1"]),
    Run(["user", "add", "root", "--no-password"]),
    Run(["user", "grant-role", "root", "root"]),
    Run(["user", "add", "gadget", "--no-password"]),
    Run(["role", "add", "reader"]),
    Run(["role", "grant-permission", "reader", "read", "a"]),
    Run(["user", "grant-role", "gadget", "reader"]),
    Run(["auth", "enable"]),
]
# (certificate, command)
NAMED = [
    ("gadget", Run(["get", "a"])),
    ("gadget", Run(["put", "a", "2"])),
    ("gadget", Watch(["watch", "a", "--rev", "1"], until="1")),
    ("gadget", Watch(["watch", "b"])),
    ("gadget", Run(["user", "list"])),
    ("guest", Run(["get", "a"])),
    ("guest", Run(["user", "list"])),
    ("root", Run(["put", "a", "3"])),
    ("root", Run(["user", "list"])),
]
