#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Errors of the command: their messages and exit codes."""

import json
import pathlib
import random
import stat
import subprocess
from typing import IO

from tool import BUSY, DELETE_AT_FLOOR, RunTest, main

FAILURES = pathlib.Path(__file__).resolve().parents[2] / "fixtures" / "failures"
# A colour escape, a line end, an 8-bit terminal escape, a byte that is not valid UTF-8.
ODD = b"odd\x1b[31m\n\xc2\x9b\xff"
ODD_NUMBERS = (-1, 2**63, 2**64 - 1, -(2**63), 1e300, 0.5, 10**40)


class Errors(RunTest):
    def test_wrong_flags_and_words_are_4_and_name_what_was_expected(self) -> None:
        for arguments in (
            ["--seed", "xyz"],
            ["--target", "redis:/x"],
            ["--jobs", "0"],
            ["--no-such-flag"],
            ["--fault", "stall:bogus=1"],
            ["--case-timeout", "5 parsecs"],
        ):
            with self.subTest(arguments=arguments):
                done = self.run_it(*arguments, expect=4)
                self.assertIn(arguments[-1].split(":")[0].split("=")[0], done.stderr)

    def test_bad_input_is_named_with_what_was_expected(self) -> None:
        """The command line, its exit code, and what the error, of one line, must name."""
        none = self.folder / "none.toml"
        none.write_text('[[accepted]]\ncase = "Ordered.Mistyped"\nreason = "known"\n')
        no_version = ("'abc' is no version", "3.5.16", "watchproof fetch --list")
        rows: tuple[tuple[tuple[str, ...], int, tuple[str, ...]], ...] = (
            (("run", "--target", "etcd@abc"), 4, ("--target: etcd abc", *no_version)),
            (("run", "--target", "etcd@abc", "--dry-run"), 4, no_version),
            (("run", "--target", "etcd@3.5.16,upgrade=abc", "--dry-run"), 4, no_version),
            (("fetch", "etcd", "abc"), 4, ("watchproof fetch: etcd abc", *no_version)),
            (("fetch", "redis", "1.0.0"), 4, ("redis 1.0.0", "known products: etcd, kine, t4")),
            (("run", "--target", "endpoint:nowhere"), 4, ("nowhere", "expected")),
            (("run", "--target", "command:sleep 1"), 4, ("{port}",)),
            (("run", "--target", "command:sleep {port} {prot}"), 4, ("{prot}", "{peer-port}")),
            (("run", "--filter", "Nope"), 5, ("watchproof run: ",)),
            (("selftest", "--filter", "Nope"), 5, ("watchproof selftest: ",)),
            (("store", "--listen", "300.1.1.1:1"), 4, ("300.1.1.1:1",)),
            (("store", "--listen", "127.0.0.1"), 4, ("127.0.0.1", "HOST:PORT")),
            (("store", "--data", "/etc/passwd"), 4, ("/etc/passwd",)),
            (("run", "--baseline", "/no/such", "--dry-run"), 4, ("--baseline", "/no/such")),
            (("check", "/no/such"), 4, ("/no/such",)),
        )
        for arguments, code, words in rows:
            with self.subTest(arguments=arguments):
                self.assert_one_line(self.call(*arguments), code, *words)
        one = ("--target", "embedded", "--filter", DELETE_AT_FLOOR)
        done = self.run_it(*one, "--baseline", str(none), expect=6)
        self.assertIn(f"{none}:1 accepts Ordered.Mistyped, and there is no such case", done.stdout)
        self.run_it(*one, "--baseline", str(none), "--no-strict", expect=0)

    def test_an_empty_selection_is_5(self) -> None:
        self.run_it("--filter", "Nothing.Matches", expect=5)

    def program(self, name: str, script: str) -> str:
        path = self.folder / name
        path.write_text("#!/bin/sh\n" + script)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return str(path)

    def test_a_binary_that_cannot_serve_is_3_with_its_last_output(self) -> None:
        plain = self.folder / "plain"
        plain.write_text("no program")
        mute = self.program(
            "mute",
            '[ "$1" = --version ] && echo "etcd Version: 9" && exit\n'
            'echo "no space on device" >&2; exit 1\n',
        )
        for path, words in (
            (str(self.folder / "missing"), "no such file"),
            (str(plain), "not executable"),
            (self.program("foreign", "echo I am a teapot"), "I am a teapot"),
            (mute, "no space on device"),
        ):
            with self.subTest(path=path):
                done = self.run_it(
                    "--target", f"etcd:{path}", "--filter", DELETE_AT_FLOOR, expect=3
                )
                self.assertIn(words, done.stdout + done.stderr)

    def test_what_never_starts_is_given_up_with_its_last_words(self) -> None:
        mute = self.program("mute", "printf '\\033[31mno room\\033[0m on %s\n' \"$1\"; exit 1\n")
        target = ("--target", f"command:{mute} {{host}}:{{port}}", "--target", "embedded")
        done = self.run_it(*target, "--filter", "Fragmented.*:Filtered.*", "--jobs", "1", expect=3)
        self.assertIn("mute did not start in 3 attempts (", done.stderr)
        self.assertRegex(done.stderr, "; [1-9][0-9]* attempts not started\n$")
        self.assertEqual(done.stdout.count("no room on 127."), 1, done.stdout)
        self.assertNotIn("x1b", done.stdout + done.stderr)
        verdicts = {result.verdict for result in self.results() if result.target == "embedded"}
        self.assertEqual(verdicts, {"pass"})

    def test_an_unknown_defect_is_named(self) -> None:
        done = self.run_it("--target", "embedded+nonsense", "--filter", DELETE_AT_FLOOR, expect=4)
        self.assertIn("nonsense", done.stdout + done.stderr)

    def call(
        self, *arguments: str, stdout: IO[bytes] | int = subprocess.PIPE
    ) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [self.watchproof, *arguments],
            stdout=stdout,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            timeout=BUSY * 120,
            check=False,
        )

    def assert_one_line(
        self, done: subprocess.CompletedProcess[bytes], code: int, *words: str
    ) -> None:
        error = done.stderr.decode(errors="replace")
        self.assertEqual(done.returncode, code, error)
        self.assertEqual(len(error.splitlines()), 1, error)
        for word in words:
            self.assertIn(word, error)

    def test_a_full_disk_behind_standard_output_is_reported_and_changes_no_verdict(self) -> None:
        bad = str(FAILURES / "filter-ignored.wire.zst")
        for arguments, code in (
            (["list"], 70),
            (["--version"], 70),
            (["explain", "stall"], 70),
            (["run", "--dry-run"], 70),
            (["check", bad], 1),
            (["history", "dump", bad], 70),
        ):
            with self.subTest(arguments=arguments), open("/dev/full", "wb") as full:
                done = self.call(*arguments, stdout=full)
                self.assert_one_line(done, code, "standard output", "No space left", "expected")

    def test_a_full_disk_is_reported_with_the_file_that_did_not_fit(self) -> None:
        client = self.folder / "reports" / "client-1"
        client.mkdir(parents=True)
        (client / "operations.json").write_text("")
        (client / "watch.json").write_text("")
        done = self.call("history", "import", str(client.parent), "/dev/full")
        self.assert_one_line(done, 4, "/dev/full", "No space left")
        full = self.folder / "full"
        full.mkdir()
        mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(full)]
        if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
            self.skipTest("a small file system cannot be mounted here")
        self.addCleanup(subprocess.run, ["umount", "-l", str(full)], check=False)
        one = ["--target", "embedded", "--filter", DELETE_AT_FLOOR, "--progress", "off"]
        for left in (60, 40, 20, 8, 4, 0):
            with self.subTest(left=left):
                subprocess.run(f"rm -rf {full}/*", shell=True, check=True)
                (full / "ballast").write_bytes(bytes((64 - left) << 10))
                done = self.call("run", "--run-dir", str(full), *one)
                error = done.stderr.decode()
                self.assertIn(done.returncode, (4, 70), error)
                self.assertRegex(error, "No space left on device|disk is full")
                self.assertIn(str(full), error)
                self.assertNotIn("internal error", error)
                self.assertNotIn(b"Nothing could be judged", done.stdout)
                self.assertNotIn(b"killed by signal", done.stdout)

    def plan(self) -> list[str]:
        """The lines of a valid plan."""
        self.run_it("--target", "embedded", "--filter", DELETE_AT_FLOOR, "--seed", "1", expect=0)
        return [line for line in self.plan_lines() if json.loads(line).get("kind") != "run"]

    def test_an_invalid_plan_is_4_and_the_error_is_named(self) -> None:
        good = self.plan()
        file = self.folder / "plan.jsonl"
        first = json.loads(good[0])
        header = {key: first[key] for key in ("case", "target", "seed", "attempt")}
        longer = [json.dumps({**first, "steps": first["steps"] + 1}), *good[1:]]
        cases = [
            (None, "is a folder"),
            (b"", "there is no plan"),
            (b"\x00\xff\x1b[31m noise", "line 1"),
            (b"[" * 100000, "line 1"),
            ("\n".join([*good, json.dumps({**header, "op": "jump"})]), "no step 'jump'"),
            ("\n".join(good[:-1]), "announces"),
            (
                "\n".join([*longer, json.dumps({**header, "op": "cancel", "group": "\x1b[31m"})]),
                "no group '\\x1b[31m'",
            ),
            ("\n".join([*longer, json.dumps({**header, "op": "hold", "us": 2**62})]), "us"),
        ]
        for content, words in cases:
            with self.subTest(words=words):
                path = file
                if content is None:
                    path = self.folder
                else:
                    file.write_bytes(content if isinstance(content, bytes) else content.encode())
                done = self.call("run", "--plan", str(path))
                self.assert_one_line(done, 4, str(path), words)

    def test_no_damaged_plan_crashes(self) -> None:
        good = self.plan()
        file = self.folder / "plan.jsonl"
        draw = random.Random(1)
        codes = set()
        for _ in range(60):
            lines = [json.loads(line) for line in good]
            for _ in range(draw.randint(1, 3)):
                line = draw.choice(lines)
                name = draw.choice(sorted(line))
                if draw.random() < 0.3:
                    line.pop(name)
                else:
                    line[name] = draw.choice([*ODD_NUMBERS, None, "", "x", [], {}, [[]], True])
                if not line:
                    line["op"] = None
            file.write_text("\n".join(json.dumps(line) for line in lines))
            done = self.call("run", "--dry-run", "--plan", str(file))
            codes.add(done.returncode)
            self.assertIn(done.returncode, (0, 4, 5), f"{file.read_text()}\n{done.stderr!r}")
        self.assertIn(4, codes)

    def test_an_invalid_snapshot_is_4_and_named(self) -> None:
        (self.folder / "noise").write_bytes(random.Random(1).randbytes(5000))
        (self.folder / "empty").touch()
        (self.folder / "folder").mkdir()
        for name in ("noise", "empty", "folder", "missing"):
            with self.subTest(name=name):
                file, made = str(self.folder / name), self.folder / "made"
                done = self.call("store", "--restore", file, "--data", str(made))
                self.assert_one_line(done, 4, file, "expected")
                self.assertFalse(made.exists())

    def test_control_characters_in_names_are_escaped(self) -> None:
        odd = bytes(self.folder) + b"/" + ODD
        recording = odd + b".zst"
        whole = (FAILURES / "filter-ignored.wire.zst").read_bytes()
        pathlib.Path(recording.decode(errors="surrogateescape")).write_bytes(whole[:500])
        one = ["--target", "embedded", "--filter", DELETE_AT_FLOOR, "--color", "never"]
        for arguments in (
            ["check", recording],
            ["check", odd],
            ["history", "dump", odd],
            ["shrink", odd],
            ["explain", ODD],
            ["list", ODD],
            [ODD],
            ["run", "--filter", ODD],
            ["run", "--target", ODD],
            ["run", "--target", b"etcd:" + odd],
            ["run", "--plan", odd],
            ["run", "--fault", ODD + b":bogus=1"],
            ["run", "--manifest", odd],
            ["run", b"--" + ODD],
            ["run", "--run-dir", odd, *one],
            ["store", "--restore", odd, "--data", odd + b"2"],
            ["fetch", ODD, ODD],
        ):
            with self.subTest(arguments=arguments):
                done = self.call(
                    *arguments,
                    *(
                        ["--run-dir", str(self.folder / "r")]
                        if arguments[:2] == ["run", "--target"]
                        else []
                    ),
                )
                self.assertNotIn(done.returncode, (70, -6, -11), done.stderr)
                for text in (done.stdout, done.stderr):
                    text.decode()  # valid UTF-8
                    for bad in (b"\x1b", b"\xc2\x9b", b"[31m\n"):
                        self.assertNotIn(bad, text)


if __name__ == "__main__":
    main()
