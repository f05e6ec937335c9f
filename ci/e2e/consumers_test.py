#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A real client as a consumer of the embedded store: two verdicts, and the layer that is to blame.

    consumers_test.py WATCHPROOF [unittest arguments]

Builds `etcd-go`, so it needs go and its module registry; and `kube-apiserver` where go has fetched
Kubernetes before: without what go keeps of earlier builds that takes minutes.
"""

import functools
import pathlib
import shutil
import subprocess
import unittest

from tool import Result, RunTest, called, descendants, main, wait_for

CONSUMERS = pathlib.Path(__file__).parents[2] / "fixtures" / "consumers"
AWAY = "Consumers.CompactionWhileAway"
AT_FLOOR = "Consumers.DeleteAtFloor"
QUEUE = "Consumers.FullQueue"
AFTER_PROGRESS = "Consumers.ResumeAfterProgress"


@functools.cache
def kubernetes_at_hand() -> bool:
    if not shutil.which("go"):
        return False
    modules = subprocess.check_output(["go", "env", "GOMODCACHE"], text=True).strip()
    return any(pathlib.Path(modules).glob("k8s.io/kubernetes@*"))


@unittest.skipUnless(shutil.which("go"), "needs go, to build a consumer")
class Consumers(RunTest):
    def both(self) -> tuple[Result, Result]:
        """The results on the target and on the consumer."""
        of_target, of_consumer = self.results()
        self.assertEqual(of_consumer.target.split(" on ")[1], of_target.target)
        return of_target, of_consumer

    def test_a_sound_client_on_a_sound_store(self) -> None:
        self.run_it(
            "--consumer",
            "etcd-go",
            "--target",
            "embedded",
            "--filter",
            AWAY,
            "--keep",
            "all",
            expect=0,
        )
        self.assertEqual([result.verdict for result in self.both()], ["pass", "pass"])
        self.assertIn("same as before", self.run_check())

    def test_a_store_that_loses_a_deletion(self) -> None:
        self.run_it(
            "--consumer",
            "etcd-go",
            "--target",
            "embedded+delete-at-floor-lost",
            "--filter",
            AT_FLOOR,
            expect=1,
        )
        of_target, of_consumer = self.both()
        self.assertEqual(of_target.verdict, "fail")
        self.assertEqual(of_consumer.verdict, "fail")
        self.assertEqual(of_consumer.findings[0].guarantee, "NoGap")
        self.assertIn("is the store", of_consumer.findings[0].watch)
        self.assertIn("same as before", self.run_check())

    def test_a_client_that_goes_on_after_errcompacted(self) -> None:
        copy = self.folder / "consumers"
        shutil.copytree(CONSUMERS, copy)
        program = copy / "etcd-go" / "main.go"
        text = program.read_text()
        # Lists once; after any error it watches on from now.
        spoilt = text.replace(
            "if err := c.listAndWatch(pause); err != nil {",
            "if err := c.watchOnly(pause); err != nil {",
        )
        self.assertNotEqual(text, spoilt)
        program.write_text(spoilt + WATCH_ONLY)
        self.run_it(
            "--consumer",
            f"folder:{copy}/etcd-go",
            "--target",
            "embedded",
            "--filter",
            AWAY,
            expect=1,
        )
        of_target, of_consumer = self.both()
        self.assertEqual(of_target.verdict, "pass", of_target)
        self.assertEqual(of_consumer.verdict, "fail")
        self.assertRegex(
            of_consumer.findings[0].watch, "^client of .*: the lowest layer that is wrong"
        )

    def test_versions_on_both_sides_of_a_bug_of_the_client(self) -> None:
        self.run_it(
            "--consumer",
            "etcd-go@3.5.7",
            "--consumer",
            "etcd-go@3.5.8",
            "--target",
            "embedded",
            "--filter",
            AFTER_PROGRESS,
            "--verbose",
            expect=1,
            limit=550,
        )
        found = {result.target: result for result in self.results()}
        self.assertEqual(found["embedded"].verdict, "pass")
        self.assertEqual(found["etcd-go@3.5.8 on embedded"].verdict, "pass")
        before = found["etcd-go@3.5.7 on embedded"]
        self.assertEqual(
            {finding.guarantee for finding in before.findings}, {"NoDuplicate"}, before
        )
        (layer, wire), (_, client), *_ = before.counts.items()
        self.assertEqual((layer, wire["creates"]), ("wire", 2))
        self.assertEqual(client["duplicates"], 1)

    def test_a_client_without_the_ability_is_unfit(self) -> None:
        done = self.run_it(
            "--consumer",
            f"folder:{CONSUMERS}/etcd-go",
            "--target",
            "embedded",
            "--filter",
            "Consumers.ServerBehind",
            expect=2,
        )
        self.assertIn("has no layer or ability", done.stdout)

    def test_other_cases_do_not_run_with_a_consumer(self) -> None:
        self.run_it("--target", "embedded", "--filter", AWAY, expect=5)
        self.run_it(
            "--consumer",
            "etcd-go",
            "--target",
            "embedded",
            "--filter",
            "Reliable.LatencyAndStall",
            expect=5,
        )

    def test_an_unknown_consumer(self) -> None:
        done = self.run_it("--consumer", "etcd-gone", expect=4)
        self.assertIn("etcd-gone", done.stderr)

    def test_without_the_tool_it_is_unsupported(self) -> None:
        done = self.run_it(
            "--consumer",
            "etcd-go",
            "--filter",
            AWAY,
            expect=2,
            more={"PATH": "/nonexistent", "WATCHPROOF_CACHE": str(self.folder / "cache")},
        )
        self.assertIn("install Go", done.stdout)

    @unittest.skipUnless(kubernetes_at_hand(), "needs go, and Kubernetes among its modules")
    def test_an_api_server_on_a_store_that_loses_a_notice(self) -> None:
        self.run_it(
            "--consumer",
            "kube-apiserver",
            "--target",
            "embedded",
            "--target",
            "embedded+compaction-notice-lost",
            "--filter",
            QUEUE,
            expect=1,
            limit=550,
        )
        found = {result.target: result for result in self.results()}
        self.assertEqual(found["kube-apiserver on embedded"].verdict, "pass")
        spoilt = found["kube-apiserver on embedded+compaction-notice-lost"]
        self.assertEqual(
            {finding.guarantee for finding in spoilt.findings}, {"NoGap", "NoGhost"}, spoilt
        )
        self.assertIn("is the store", spoilt.findings[0].watch)

    @unittest.skipUnless(kubernetes_at_hand(), "needs go, and Kubernetes among its modules")
    def test_an_api_server_ends_with_a_killed_run(self) -> None:
        run = self.start("--consumer", "kube-apiserver", "--target", "embedded", "--filter", QUEUE)

        def family_with_both_stores() -> dict[int, str] | None:
            family = descendants(run.pid)
            return family if sum(" store --" in c for c in family.values()) == 2 else None

        family = wait_for(
            "the target's store and the API server's", family_with_both_stores, limit=550
        )
        run.kill()
        self.await_end_of(family)

    def run_check(self) -> str:
        done = called([self.watchproof, "check", str(self.latest().resolve())])
        return done.stdout


WATCH_ONLY = """
var listed bool

func (c *consumer) watchOnly(pause func()) error {
	if !listed {
		listed = true
		return c.listAndWatch(pause)
	}
	for response := range c.client.Watch(context.Background(), c.prefix, clientv3.WithPrefix()) {
		for _, event := range response.Events {
			report := protocol.Report{Layer: "client", Kind: protocol.Event, Type: protocol.Put,
				Key: string(event.Kv.Key), Revision: event.Kv.ModRevision}
			c.layer.Apply(report)
			c.report.Send(report)
		}
	}
	return nil
}
"""


if __name__ == "__main__":
    main()
