#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A script that exploration found is understood by every other command."""

import json
import os
import pathlib
import re
import shlex
import subprocess
import unittest

from tool import BUSY, RunTest, called, main


def cached(release: str) -> bool:
    """Whether a release of etcd is in the cache: `watchproof fetch` puts it there."""
    caches = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    cache = os.environ.get("WATCHPROOF_CACHE") or os.path.join(caches, "watchproof")
    return (pathlib.Path(cache) / "releases" / "etcd" / release / "etcd").exists()


class Found(RunTest):
    def of(self, *words: str, expect: int | set[int]) -> str:
        done = called([self.watchproof, *words], cwd=self.folder, timeout=BUSY * 300)
        codes = expect if isinstance(expect, set) else {expect}
        self.assertIn(done.returncode, codes, f"{words}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def explore(self, target: str, *words: str) -> list[pathlib.Path]:
        """The scripts that it keeps."""
        said = self.of("explore", "--target", target, "--keep", "kept", *words, expect={0, 1})
        kept = sorted((self.folder / "kept").glob("*.jsonl"))
        self.assertTrue(kept, said)
        for one in kept:
            self.assertIn(f"watchproof run --plan kept/{one.name}", said)
        return kept

    def compile_as_case(self, kept: pathlib.Path) -> None:
        """With the flags of a case of the build."""
        source = self.folder / "found.cc"
        source.write_text(self.of("case", str(kept), expect=0))
        build = pathlib.Path(self.watchproof).parent
        commands = json.loads((build / "compile_commands.json").read_text())
        of_case = next(one for one in commands if "cases/" in one["command"].rsplit(" ", 1)[1])
        words = shlex.split(of_case["command"])
        compiler = next(word for word in words if word.endswith("c++"))
        flags = [word for word in words if word.startswith(("-D", "-I", "-std="))]
        system = [words[i + 1] for i, word in enumerate(words) if word == "-isystem"]
        called(
            [compiler, "-fsyntax-only", *flags, *(f"-I{path}" for path in system), str(source)],
            cwd=of_case["directory"],
            check=True,
        )

    def verdicts_of(self, plan: pathlib.Path, *words: str) -> dict[str, list[str]]:
        """Of four attempts on each target: what takes luck shows in most of them, not in each."""
        self.of("run", "--plan", str(plan), "--repeat", "4", *words, expect={0, 1})
        name = json.loads(plan.read_text().splitlines()[0])["case"]
        results = self.results()
        self.assertEqual({result.case for result in results}, {name})
        return {
            of: [result.verdict for result in results if result.target == of]
            for of in {result.target for result in results}
        }

    def live(self, kept: pathlib.Path, target: str, good: str) -> pathlib.Path:
        """Every command but `power` and `baseline`; the smaller one that shrink makes of it.

        Whether the bug is a known one depends on the target: it fails either way.
        """
        self.of("check", str(kept.with_suffix(".wire.zst")), expect=1)
        self.assertIn("func main()", kept.with_suffix(".md").read_text())
        runs = ("--run-dir", "runs")
        self.assertIn("fail", self.verdicts_of(kept, *runs)[target])
        recording = next(self.latest().glob("cases/*/*/*/history.wire.zst"))
        self.assertIn("same as before", self.of("check", str(recording), expect={0, 1}))
        self.assertRegex(self.of("repeat", "runs/latest", expect={0, 1}), "failed in [1-9]")

        both = ("--target", good, "--target", target)
        verdicts = self.verdicts_of(kept, *both, *runs)
        self.assertEqual(set(verdicts[good]), {"pass"})
        self.assertIn("fail", verdicts[target])

        among = ("--among", good, target)
        said = self.of("bisect", "--script", str(kept), *among, *runs, expect=0)
        self.assertIn(f"first bad  {target}", said)
        self.compile_as_case(kept)

        self.of("shrink", str(kept), "--tries", "1", "--limit", "60s", expect=0)
        shrunk = kept.with_name(kept.stem + "-shrunk.jsonl")
        self.assertIn("fail", self.verdicts_of(shrunk, *runs)[target])
        return shrunk

    def test_of_a_defect(self) -> None:
        target = "embedded+filter-ignored"
        kept = self.explore(target, "--time-budget", "60s", "--fail-fast", "--seed", "0x5")[0]
        shrunk = self.live(kept, target, "embedded")
        accepted = ("--baseline", "accepted.toml")
        run = str(self.latest().resolve())
        self.of("baseline", "update", *accepted, run, "--reason", "a test", expect=0)
        self.of("run", "--plan", str(shrunk), *accepted, "--run-dir", "runs", expect=0)

    @unittest.skipUnless(cached("3.7.3") and cached("3.5.0"), "needs etcd 3.7.3 and 3.5.0 cached")
    def test_of_a_release(self) -> None:
        """With a bug that 3.5.0 has not yet."""
        found = self.explore("etcd@3.7.3", "--time-budget", "40s", "--known", "--seed", "0x5")
        of_bug = [one for one in found if '"progress-held-back"' in one.read_text()]
        self.assertTrue(of_bug, found)
        shrunk = self.live(of_bug[0], "etcd@3.7.3", "etcd@3.5.0")
        said = self.of("power", "--script", str(shrunk), "--attempts", "4", expect=0)
        # On a busy machine an attempt may prove nothing, and then counts for neither.
        shown, judged = re.search(r" (\d) of (\d) ", said).groups()  # type: ignore[union-attr]
        self.assertGreater(int(shown), 0, said)
        self.assertGreaterEqual(int(judged), 3, said)


class Refusals(RunTest):
    def of(self, *words: str) -> subprocess.CompletedProcess[str]:
        return called([self.watchproof, *words], cwd=self.folder, timeout=BUSY * 60)

    def test_what_is_no_kept_script_is_refused(self) -> None:
        plan = self.folder / "plan.jsonl"
        head = '{"case":"Explored.X","target":"embedded","seed":"1","attempt":1,'
        plan.write_text(head + '"steps":1,"converge_us":1}\n' + head + '"step":0,"op":"jump"}\n')
        none = self.folder / "none.jsonl"
        for words, said in (
            (("run", "--plan", str(plan)), "there is no step 'jump'"),
            (("case", str(plan)), "there is no step 'jump'"),
            (("shrink", str(none)), "or a plan that `explore --keep` kept"),
            (("bisect", "--script", str(none), "--among", "a", "b"), "cannot read the plan"),
            (("power", "--script", str(none)), "cannot read the plan"),
        ):
            done = self.of(*words)
            self.assertEqual(done.returncode, 4, done.stdout + done.stderr)
            self.assertIn(said, done.stderr)


if __name__ == "__main__":
    main()
