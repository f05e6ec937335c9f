#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Verdicts of a run: the clean store, a stock etcd, and faults that did not take effect.

Tests that need a stock etcd are skipped without one (WATCHPROOF_TEST_ETCD or the etcd on PATH,
which must be 3.4.23 for the expectations here).
"""

import hashlib
import os
import shutil
import signal
import unittest

from tool import (
    BUSY,
    DELETE_AT_FLOOR,
    EVERYTHING,
    FULL_QUEUE,
    OVERTAKES,
    SEED,
    RunTest,
    descendants,
    listed,
    main,
    stock_etcd,
    wait_for,
)

FUTURE = "Bookmarkable.FutureStart"
BURST = "CompactionSurfaced.CreateBurst"
ONCE = "CompactionSurfaced.SingleNotice"
NEGATIVE = "Reliable.NegativeStart"
OVERLAPPING = "Resumable.OverlappingFaults"
RESTARTED = "CompactionSurfaced.DeleteAtFloorRestart"
OPEN_RANGE = "Authorized.OpenEndedRange"
REPLAYED = "Unique.SnapshotToPausedMember"
REPLAYED_CUT = "Unique.SnapshotToIsolatedMember"
REFUSED = "Reliable.RefusedTransaction"
TWICE = "Transactional.ChangedTwiceToTheEnd"
KEPT = "Transactional.KeepsValueOfDeletedKey"
QUIET = "CompactionSurfaced.QuietWatchInSnapshot"
RESTORED = "Resumable.RestoredStore"
DOWNGRADE = "Reported.CancelledDowngrade"
IN_PARTS = {
    "Answered.WrongReadsInParts",
    "Linearizable.OptionsOfReadsInParts",
    "Linearizable.ReadsInParts",
}
SIGNED = "Authorized.ExpiredSignedToken"
CERTIFIED = {"Authorized.NamesOfCertificates", "Authorized.NoPasswordButCertificate"}
LOCKS = {
    "Answered.WrongRequestsForLocks",
    "Exclusive.Election",
    "Exclusive.ElectionAtLeaderCutOff",
    "Exclusive.ElectionWithoutItsLease",
    "Exclusive.FollowedAtLeaderCutOff",
    "Exclusive.FollowedElection",
    "Exclusive.Lock",
    "Exclusive.LockAtLeaderCutOff",
    "Exclusive.LockAtPausedLeader",
    "Exclusive.LockWhileLeaderChanges",
    "Exclusive.LockWithoutItsLease",
}
ENDED_BY_REQUEST = {
    "Answered.PermissionOfNothing",
    "Answered.UnknownAlarmAction",
    "Answered.UnknownSortTarget",
}
STRICT = "PreviousValue.StrictPreviousValues"
# Faults of self-tests alone.
TAMPERING = {"corrupt", "drop-response"}
# Faults of clusters: the embedded store is a single process.
CLUSTERED = {
    "blackout",
    "damaged-file",
    "forgetful-disk",
    "isolate",
    "move-leader",
    "one-way-cut",
    "replace",
    "restore",
    "ring",
    "slow-link",
    "slow-link-to-member",
    "slow-peer",
    "split",
}


class Verdicts(RunTest):
    def cache_holding(self, binary: str, version: str) -> dict[str, str]:
        """A cache as `fetch` fills it; returns the environment variables that select it."""
        place = self.folder / "cache" / "releases" / "etcd" / version / "etcd"
        place.parent.mkdir(parents=True)
        shutil.copy(binary, place)
        summed = hashlib.sha256(place.read_bytes()).hexdigest()
        place.with_suffix(".sha256").write_text(f"{summed}  etcd\n")
        return {"WATCHPROOF_CACHE": str(self.folder / "cache")}

    def known_faults(self) -> set[str]:
        return {fault.name for fault in listed(self.watchproof, "list", "faults")}

    def test_the_clean_embedded_store_passes_and_every_fault_took_effect(self) -> None:
        results = self.decided("--target", "embedded", *SEED)
        clusters = {r.case for r in results if r.reason.endswith("offer cluster")}
        self.assertIn(REFUSED, clusters)
        verdicts = self.verdicts(results)
        self.assertEqual({verdicts[case] for case in clusters}, {"unsupported"})
        self.assertEqual(set(verdicts.values()), {"pass", "unsupported"})
        unsupported = {c for c, v in verdicts.items() if v == "unsupported"}
        absent = LOCKS | {SIGNED} | CERTIFIED
        self.assertEqual(unsupported - clusters, absent, "no locks, signed tokens or certificates")
        for result in results:
            for receipt in result.receipts:
                if verdicts[result.case] == "pass":
                    self.assertTrue(receipt.fired, receipt)
        effective = {x.kind for r in results for x in r.receipts if x.fired}
        known = self.known_faults() - CLUSTERED - TAMPERING
        self.assertEqual(known - effective, set(), "no case in which it takes effect")
        faults = {r.case: sorted(x.fault for x in r.receipts) for r in results}
        self.assertEqual(faults[FULL_QUEUE], ["stall"])
        self.assertEqual(faults[EVERYTHING], ["latency", "stall"])

    def test_the_self_tests_notice_faults_without_effect_and_tampering(self) -> None:
        results = self.decided("--target", "embedded", name="selftest")
        self.assertEqual(set(self.verdicts(results).values()), {"declared", "unsupported"})
        receipts = [x for r in results if r.declared for x in r.receipts]
        ineffective = {x.kind for x in receipts if not x.fired}
        effective = {x.kind for x in receipts if x.fired}
        known = self.known_faults() - CLUSTERED
        self.assertEqual(known - ineffective, set(), "no case in which it takes no effect")
        self.assertEqual(TAMPERING - effective, set(), "no case in which it takes effect")

    @unittest.skipUnless(stock_etcd(), "needs a stock etcd 3.4.23")
    def test_debians_etcd_fails_exactly_as_the_manifest_says(self) -> None:
        results = self.decided("--target", f"etcd:{stock_etcd()}", *SEED)
        failed = {r.case for r in results if r.verdict == "fail"}
        # Bugs that the closing questions of other cases may meet come on top.
        always = {FULL_QUEUE, DELETE_AT_FLOOR, OVERTAKES, FUTURE, BURST, ONCE, NEGATIVE}
        always |= {OVERLAPPING, RESTARTED, OPEN_RANGE, REPLAYED, REPLAYED_CUT, REFUSED}
        always |= {TWICE, KEPT, QUIET} | ENDED_BY_REQUEST
        self.assertEqual(always - failed, set(), "a bug of the release was not found")
        self.assertEqual({r.case for r in results if r.known}, failed)
        rest = {r.case: r.verdict for r in results if r.case not in failed}
        # No release of etcd has strict previous values, and this one raises no revision, and has no
        # reads in parts and no downgrades.
        lacking = {rest.pop(case) for case in {STRICT, RESTORED, DOWNGRADE} | IN_PARTS}
        self.assertEqual(lacking, {"unsupported"})
        self.assertEqual(set(rest.values()), {"pass"})
        effective = {x.kind for r in results for x in r.receipts if x.fired}
        self.assertEqual(CLUSTERED - effective, set())
        self.assertEqual({r.target_version for r in results}, {"3.4.23"})
        results = self.decided("--target", f"etcd:{stock_etcd()}", name="selftest")
        self.assertEqual(
            {c for c in self.verdicts(results) if c.startswith("Noticed.")},
            set(),
            "tampered with etcd",
        )
        self.assertEqual(set(self.verdicts(results).values()), {"declared"})
        ineffective = {x.kind for r in results for x in r.receipts if not x.fired}
        self.assertEqual(CLUSTERED - ineffective, set())

    @unittest.skipUnless(stock_etcd(), "needs a stock etcd 3.4.23")
    def test_a_release_by_name_is_the_one_of_the_cache(self) -> None:
        environment = self.cache_holding(stock_etcd() or "", "3.4.23")
        self.run_it("--target", "etcd@3.4.23", "--filter", FUTURE, expect=0, more=environment)
        [result] = self.results()
        self.assertEqual((result.target_version, result.known), ("3.4.23", True))
        environment = self.cache_holding(stock_etcd() or "", "3.5.16")
        self.run_it("--target", "etcd@3.5.16", "--filter", FUTURE, expect=3, more=environment)
        [result] = self.results()
        self.assertIn("is cached as etcd 3.5.16, but answers as 3.4.23", result.reason)

    def test_without_the_proxy_no_fault_takes_effect_and_no_case_that_needs_one_passes(
        self,
    ) -> None:
        self.run_it(
            "--target",
            "embedded",
            "--bypass-proxy",
            "--filter",
            f"{FULL_QUEUE}:{EVERYTHING}",
            expect=2,
        )
        self.assertEqual(self.verdicts(), {FULL_QUEUE: "inconclusive", EVERYTHING: "inconclusive"})

    def test_a_stall_too_short_to_take_effect_is_inconclusive(self) -> None:
        self.run_it(
            "--target",
            "embedded",
            "--fault",
            "stall:duration=1ms",
            "--filter",
            FULL_QUEUE,
            expect=2,
        )
        [result] = self.results()
        self.assertEqual(result.verdict, "inconclusive")
        self.assertIn("stall", result.reason)

    def test_a_target_that_dies_by_itself_fails_the_case_that_saw_it(self) -> None:
        run = self.start("--target", "embedded", "--filter", EVERYTHING)
        store = wait_for(
            "the store's process",
            lambda: [
                pid for pid, command in descendants(run.pid).items() if " store --listen" in command
            ],
        )
        wait_for(
            "the case to have begun", lambda: list((self.folder / "runs").rglob("history.wire.zst"))
        )
        os.kill(store[0], signal.SIGKILL)
        run.communicate(timeout=BUSY * 60)
        # 3 if it was killed before it answered; afterwards its end is a finding of the case.
        self.assertIn(run.returncode, (1, 3))


if __name__ == "__main__":
    main()
