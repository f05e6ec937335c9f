#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What cannot run says why, and by which exit code."""

import stat

from tool import DELETE_AT_FLOOR, RunTest, main


class Errors(RunTest):
    def test_wrong_flags_and_words_are_4_and_name_what_was_expected(self):
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

    def test_an_empty_selection_is_5(self):
        self.run_it("--filter", "Nothing.Matches", expect=5)

    def program(self, name, script):
        path = self.folder / name
        path.write_text("#!/bin/sh\n" + script)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return str(path)

    def test_a_binary_that_is_missing_foreign_or_mute_is_3_with_its_last_words(self):
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

    def test_an_unknown_defect_is_named(self):
        done = self.run_it("--target", "embedded+nonsense", "--filter", DELETE_AT_FLOOR, expect=4)
        self.assertIn("nonsense", done.stdout + done.stderr)


if __name__ == "__main__":
    main()
