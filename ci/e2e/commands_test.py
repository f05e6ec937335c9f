#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Any store that a command line starts: command:TEMPLATE, and profiles."""

import json
import os
import shlex

from tool import DELETE_AT_FLOOR, OVERTAKES, RunTest, main, stock_etcd

KILLED = "Resumable.KillAndRestart"
RESTARTED = "CompactionSurfaced.DeleteAtFloorRestart"


class Commands(RunTest):
    def template(self, *more: str) -> str:
        words = [self.watchproof, "store", "--listen", "{host}:{port}", *more]
        return "command:" + shlex.join(words).replace("'", "")

    def wrapper(self, name: str, script: str) -> str:
        path = self.folder / name
        path.write_text("#!/bin/sh\n" + script.replace("STORE", shlex.quote(self.watchproof)))
        path.chmod(0o755)
        return str(path)

    def test_a_store_with_a_data_folder_is_killed_and_restarted(self) -> None:
        self.run_it(
            "--target",
            self.template("--data", "{data}"),
            "--filter",
            f"{KILLED}:{RESTARTED}:{DELETE_AT_FLOOR}:{OVERTAKES}",
            "--keep",
            "all",
            expect=0,
        )
        self.assertEqual(set(self.verdicts().values()), {"pass"})
        folders = [path.name for path in (self.latest() / "cases").iterdir()]
        self.assertEqual(folders, [os.path.basename(self.watchproof)])

    def test_a_store_that_hangs_after_a_kill_breaks_a_promise_and_a_slow_one_proves_nothing(
        self,
    ) -> None:
        serve = 'touch "$2.once"; exec STORE store --listen "$1" --data "$2"\n'
        hangs = self.wrapper("hangs", '[ -e "$2.once" ] && exec sleep 1000\n' + serve)
        slow = self.wrapper("slow", '[ -e "$2.once" ] && sleep 25\n' + serve)
        filters = ("--filter", KILLED)
        self.run_it("--target", f"command:{hangs} {{host}}:{{port}} {{data}}", *filters, expect=1)
        finding = self.results()[0].findings[0]
        self.assertEqual(finding.guarantee, "Durable")
        self.assertIn("did not answer", finding.observed)
        # On a busy machine it is in time.
        done = self.run_it(
            "--target", f"command:{slow} {{host}}:{{port}} {{data}}", *filters, expect={0, 2}
        )
        if done.returncode == 2:
            self.assertIn("a start with its data", self.results()[0].reason)

    def test_a_member_that_stays_behind_by_itself_breaks_a_promise(self) -> None:
        etcd = stock_etcd()
        if etcd is None:
            self.skipTest("no etcd 3.4.23 is installed")
        # From some time after its start on, nothing that it syncs comes to an end.
        stuck = "--effect slow:calls=sync,from=40,hold=200s"
        member = self.wrapper(
            "member",
            f"""case "$*" in
*"--name m2 "*)
  mkdir -p "$4"
  exec STORE disk --data "$4" --no-undo {stuck} -- {shlex.quote(etcd)} "$@";;
esac
exec {shlex.quote(etcd)} "$@"
""",
        )
        self.run_it("--target", f"etcd:{member}", "--filter", "*.LeadershipTransfer", expect=1)
        findings = [one for one in self.results()[0].findings if one.guarantee == "Available"]
        self.assertEqual([one.watch for one in findings], ["every watch of member 2"])
        self.assertIn("and so for 20 s", findings[0].observed)

    def test_cases_that_need_durable_data_are_unsupported_without_it(self) -> None:
        filters = f"{KILLED}:{OVERTAKES}"
        done = self.run_it("--target", self.template(), "--filter", filters, expect=0)
        self.assertEqual(self.verdicts(), {KILLED: "unsupported", OVERTAKES: "pass"})
        self.assertIn("does not offer durable", done.stdout)

    def test_a_store_without_a_host_is_reached_on_a_free_port(self) -> None:
        target = f"command:{self.watchproof} store --listen 127.0.0.1:{{port}}"
        self.run_it("--target", target, "--filter", OVERTAKES, expect=0)

    def test_templates_that_cannot_serve_are_4_and_programs_that_cannot_start_are_3(self) -> None:
        for template, words in (("store {host}", "{port}"), ("store {port} {x}", "{x} is unknown")):
            done = self.run_it("--target", f"command:{template}", expect=4)
            self.assertIn(words, done.stderr)
        for program, words in (("/nowhere/store", "no such file"), ("no-such-store", "PATH")):
            done = self.run_it(
                "--target", f"command:{program} {{port}}", "--filter", OVERTAKES, expect=3
            )
            self.assertIn(words, done.stdout)

    def test_the_repeat_line_is_one_word_for_the_shell(self) -> None:
        mute = self.wrapper("mute store", "echo no space on device >&2; exit 1\n")
        target = f"command:'{mute}' {{port}}"
        done = self.run_it("--target", target, "--filter", OVERTAKES, expect=3)
        line = next(line for line in done.stdout.splitlines() if " repeat " in line)
        self.assertIn(target, shlex.split(line))

    def test_a_store_that_ignores_sigterm_is_killed_and_the_case_is_unsupported(self) -> None:
        # The store itself stops on SIGTERM, so it is wrapped in a process that does not.
        stubborn = self.wrapper(
            "stubborn", 'trap "" TERM\nSTORE store "$@" &\nexec tail -f /dev/null\n'
        )
        target = f"command:{stubborn} --listen {{host}}:{{port}} --data {{data}}"
        self.run_it("--target", target, "--filter", KILLED, "--keep", "all", expect=0)
        plan = self.folder / "plan.jsonl"
        steps = [line for line in self.plan_lines() if json.loads(line).get("case") == KILLED]
        plan.write_text("".join(line + "\n" for line in steps).replace('"kill"', '"restart"'))
        self.run_it("--target", target, "--plan", str(plan), expect=2)  # no case was judged
        self.assertEqual(self.verdicts(), {KILLED: "unsupported"})
        self.assertIn("SIGTERM", self.results()[0].reason)

    def test_a_profile_states_and_limits(self) -> None:
        profile = self.folder / "mine.toml"
        profile.write_text(
            'name = "mine"\nabout = "x"\nlacks = ["progress-request"]\nrequests = "kubernetes"\n'
        )
        self.run_it(
            "--target",
            self.template("--data", "{data}"),
            "--target-profile",
            str(profile),
            "--filter",
            f"{KILLED}:{OVERTAKES}",
            "--keep",
            "all",
            expect=0,
        )
        self.assertEqual(self.verdicts(), {KILLED: "pass", OVERTAKES: "unsupported"})
        profile.write_text('name = "mine"\nabout = "x"\nlack = []\n')
        done = self.run_it("--target-profile", str(profile), expect=4)
        self.assertIn("unknown field 'lack'", done.stderr)
        done = self.run_it("--target-profile", "nothing", expect=4)
        self.assertIn("kubernetes", done.stderr)

    def test_shipped_profiles_judge_the_embedded_store(self) -> None:
        for name in ("etcd", "kubernetes", "leases-locks"):
            with self.subTest(profile=name):
                self.run_it(
                    "--target-profile", name, "--filter", f"{DELETE_AT_FLOOR}:{KILLED}", expect=0
                )
                verdicts = self.verdicts()
                self.assertEqual(verdicts[KILLED], "pass", json.dumps(self.results()[0].reason))


if __name__ == "__main__":
    main()
