#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`disk`: programs with a proxy before their disk, what it does to them, and what it reports."""

import json
import re
import signal
import subprocess
import sys
import urllib.request
from subprocess import Popen
from typing import Any

from tool import BUSY, RunTest, called, descendants, main

# Without its standard files: those are not below the folder.
PROGRAM = """
import os, signal, sys
folder, steps = sys.argv[1], sys.argv[2:]
files = {}
for step in steps:
    word, _, rest = step.partition(":")
    if word == "wait":
        print("waiting", flush=True)
        signal.pause()
        continue
    name, _, text = rest.partition("=")
    path = os.path.join(folder, name)
    try:
        if word == "remove":
            os.remove(path)
        elif word == "write":
            if name not in files:
                files[name] = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
            os.write(files[name], text.encode())
        elif word == "sync":
            os.fsync(files[name])
    except OSError as error:
        print(step, os.strerror(error.errno), flush=True)
"""


class Disks(RunTest):
    def setUp(self) -> None:
        super().setUp()
        self.data = self.folder / "data"
        self.data.mkdir()
        self.program = self.folder / "program.py"
        self.program.write_text(PROGRAM)
        done = self.disk([])
        if done.returncode == 2 and "unsupported" in done.stderr:
            self.skipTest(done.stderr)

    def words(self, flags: list[str], *steps: str) -> list[str]:
        own = [self.watchproof, "disk", "--data", str(self.data), *flags, "--"]
        return [*own, sys.executable, str(self.program), str(self.data), *steps]

    def disk(self, flags: list[str], *steps: str) -> subprocess.CompletedProcess[str]:
        return called(self.words(flags, *steps), timeout=BUSY * 60, stdin=subprocess.DEVNULL)

    def ends(self, code: int, flags: list[str], *steps: str) -> subprocess.CompletedProcess[str]:
        done = self.disk(flags, *steps)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assert_nothing_beside()
        return done

    def assert_nothing_beside(self) -> None:
        """Of what was kept in case that it comes back."""
        names = sorted(path.name for path in self.folder.iterdir())
        self.assertEqual(names, ["data", "program.py"])

    def contents(self) -> dict[str, str]:
        return {path.name: path.read_text() for path in self.data.iterdir()}

    def wait_for_program(self, *steps: str, flags: tuple[str, ...] = ()) -> Popen[str]:
        run = Popen(
            self.words(list(flags), *steps, "wait:"),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            text=True,
        )
        assert run.stdout and run.stderr
        self.addCleanup(run.stdout.close)
        self.addCleanup(run.stderr.close)
        self.addCleanup(run.wait)
        self.addCleanup(run.kill)
        self.await_line(run)
        return run

    def await_line(self, run: Popen[str]) -> None:
        assert run.stdout
        self.assertEqual(run.stdout.readline(), "waiting\n")

    def test_a_power_failure_at_the_end_takes_what_was_not_synced(self) -> None:
        done = self.ends(
            0,
            ["--power-failure-at-exit", "--class", "log=a*"],
            *("write:a=kept", "sync:a", "write:a=lost", "write:b=lost"),
        )
        self.assertEqual(self.contents(), {"a": "kept"})
        self.assertIn("a: 1 write, 4 bytes", done.stderr)
        self.assertIn("b: was never made", done.stderr)
        self.assertRegex(done.stderr, r"log +2 +1 ")
        self.assertRegex(done.stderr, r"other files +1 +0 ")

    def test_without_one_everything_stays(self) -> None:
        done = self.ends(0, [], "write:a=1", "remove:a", "write:b=2")
        self.assertEqual(self.contents(), {"b": "2"})
        self.assertNotIn("power failure", done.stderr)
        self.ends(0, ["--no-undo"], "write:c=3")
        self.assertEqual(self.contents(), {"b": "2", "c": "3"})

    def test_removed_files_come_back(self) -> None:
        self.ends(0, [], "write:a=1", "sync:a")
        done = self.ends(0, ["--power-failure-at-exit"], "remove:a")
        self.assertEqual(self.contents(), {"a": "1"})
        self.assertIn("a: was never removed", done.stderr)

    def test_each_effect(self) -> None:
        steps = ("write:a=1", "sync:a", "write:a=2", "sync:a")
        for effect, said, reported in (
            ("slow:hold=30ms", "", r"slow: it affected 2 of 2 such calls, the longest for 0\.03"),
            ("failing:times=1", "Input/output error", "failing: it affected 1 of 2"),
            ("full:calls=write,from=2", "No space left", "full: it affected 1 of 2"),
            ("forgetful", "", "forgetful: it affected 2 of 2"),
            ("crash-point:calls=sync+rename,from=2", "", "killed at the sync of a"),
        ):
            with self.subTest(effect=effect):
                done = self.ends(0, ["--effect", effect], *steps)
                self.assertIn(said, done.stdout)
                self.assertRegex(done.stderr, reported)

    def test_what_a_forgetful_disk_pretends_to_keep_is_lost(self) -> None:
        self.ends(0, [], "write:a=old", "sync:a")
        flags = ["--effect", "forgetful:from=2", "--power-failure-at-exit"]
        self.ends(0, flags, "write:a=1", "sync:a", "write:a=2", "sync:a")
        self.assertEqual(self.contents(), {"a": "old1"})

    def test_an_effect_without_effect_proves_nothing(self) -> None:
        done = self.ends(2, ["--effect", "slow:files=b"], "write:a=1", "sync:a")
        self.assertIn("slow had no effect", done.stderr)

    def test_bad_input_names_itself_and_what_was_expected(self) -> None:
        program = ["--", "true"]
        data = ["--data", str(self.data)]
        for words, expected in (
            ([*data, "--effect", "slwo", *program], "slwo.*there are: crash-point, failing"),
            ([*data, "--effect", "slow:hold=x", *program], "slow.*hold.*duration"),
            ([*data, "--effect", "slow:calls=read", *program], "'read' is none of write, sync"),
            ([*data, "--effect", "slow:files=/x", *program], "'/x': expected names below"),
            ([*data, "--class", "log", *program], "--class log: expected NAME=PATTERNS"),
            ([*data, "--class", "log=/x", *program], "'/x': expected names below"),
            ([*data, "--class", "log=a||b", *program], "'': expected names below"),
            ([*data, "--keep", "101", *program], "keep"),
            ([*data, "--seed", "x", *program], "x"),
            ([*data, "--control", "host", *program], "host"),
            ([*data, "--no-undo", "--power-failure-at-exit", *program], "--no-undo"),
            ([*data], "expected -- COMMAND"),
            ([*data, "--", "no-such-program"], "no-such-program.*PATH"),
            (["--data", "/nowhere", *program], "--data: /nowhere: no such folder"),
            (program, "--data"),
        ):
            with self.subTest(words=words):
                done = called([self.watchproof, "disk", *words])
                self.assertEqual(done.returncode, 4, done.stderr)
                self.assertRegex(done.stderr, expected)
        done = called([self.watchproof, "disk", *data, "--", str(self.data / "program")])
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("no such file", done.stderr)

    def test_a_program_that_fails_is_1(self) -> None:
        words = [self.watchproof, "disk", "--data", str(self.data), "--", "sh", "-c", "exit 7"]
        done = called(words)
        self.assertEqual(done.returncode, 1)
        self.assertIn("the program exited with 7", done.stderr)

    def test_signals_are_passed_on_and_leave_nothing(self) -> None:
        ended = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
        for number, code in ((signal.SIGINT, 130), *((one, 143) for one in ended)):
            with self.subTest(number=number):
                run = self.wait_for_program("write:a=1", "remove:a")
                self.assertTrue((self.folder / ".data.removed").exists())
                family = descendants(run.pid)
                self.assertTrue(family)
                run.send_signal(number)
                self.assertEqual(run.wait(BUSY * 10), code)
                self.await_end_of(family)
                self.assert_nothing_beside()

    def test_a_kill_takes_the_program_along(self) -> None:
        run = self.wait_for_program("write:a=1", "remove:a")
        family = descendants(run.pid)
        run.kill()
        run.wait()
        self.await_end_of(family)
        self.ends(0, [], "write:a=1", "remove:a")  # takes away what is left of the other one

    def test_the_power_fails_by_a_signal_and_the_program_starts_again(self) -> None:
        run = self.wait_for_program("write:a=kept", "sync:a", "write:a=lost")
        run.send_signal(signal.SIGUSR1)
        self.await_line(run)
        self.assertEqual((self.data / "a").read_text(), "keptkeptlost")
        run.send_signal(signal.SIGINT)
        self.assertEqual(run.wait(BUSY * 10), 130)
        assert run.stderr
        self.assertRegex(run.stderr.read(), "(?s)a: 1 write, 4 bytes.*started again")

    def test_the_control_port(self) -> None:
        run = self.wait_for_program("write:a=1", "sync:a", "write:a=2", flags=("--control", "0"))
        assert run.stderr
        found = re.search(r"control on (\S+),", run.stderr.readline())
        assert found
        place = f"http://{found[1]}/disks"

        def ask(method: str, path: str = "", body: Any = None) -> Any:
            data = json.dumps(body).encode() if body is not None else None
            request = urllib.request.Request(place + path, data, method=method)
            with urllib.request.urlopen(request, timeout=BUSY * 10) as answer:
                return json.load(answer)

        self.assertEqual(ask("GET")["disk"]["counts"]["all files"]["sync"], 1)
        armed = ask("POST", "/disk/effects", {"kind": "slow", "parameters": {"hold": "10ms"}})
        ask("POST", "/disk/power-failure")
        self.await_line(run)
        failures = ask("GET", "/disk")["power_failures"]
        self.assertEqual(failures[0]["lines"], ["a: 1 write, 1 byte"])
        healed = ask("DELETE", f"/disk/effects/{armed['id']}")
        self.assertEqual((healed["armed"], healed["receipt"]["affected"]), (False, 1))
        run.send_signal(signal.SIGTERM)
        self.assertEqual(run.wait(BUSY * 10), 143)

    def test_standard_streams_are_the_programs_own(self) -> None:
        words = [self.watchproof, "disk", "--data", str(self.data), "--", "cat"]
        done = subprocess.run(words, input="through\n", capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, "through\n"))

    def test_what_is_not_seen_is_named(self) -> None:
        script = (
            "import mmap, os\n"
            f"file = os.open({str(self.data / 'm')!r}, os.O_RDWR | os.O_CREAT)\n"
            "os.ftruncate(file, 4096)\n"
            "mmap.mmap(file, 4096)[0] = 1\n"
        )
        words = [self.watchproof, "disk", "--data", str(self.data), "--", sys.executable]
        done = called([*words, "-c", script])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("not seen: what was written to m", done.stderr)


if __name__ == "__main__":
    main()
