// SPDX-License-Identifier: Apache-2.0
// A run with one attempt of every outcome, for the tests of the reports.
//
// Threads: pure functions.
#pragma once

#include "harness/report/run_record.h"

namespace watchproof {

inline AttemptSummary SampleAttempt(std::string case_name, std::string target, Verdict verdict) {
  AttemptSummary note;
  note.result.case_name = std::move(case_name);
  note.result.target = std::move(target);
  note.result.target_version = note.result.target == "embedded" ? "0.1.0" : "3.4.23";
  note.result.seed = "0x51e9c2";
  note.result.verdict = verdict;
  note.result.seconds = 4.1;
  note.result.folder = "cases/t/" + note.result.case_name + "/1";
  if (verdict == Verdict::kFail) {
    note.expectation = ExpectationStatus::kNewFailure;
    note.result.findings.push_back(
        {.guarantee = "Ordered",
         .promise = "within one watch, revisions never decrease",
         .impact = "A Kubernetes cache goes back in time.",
         .watch = "watch 3 of stream 1 on [\"a\", \"b\") from revision 2",
         .expected = "a revision of at least 799",
         .observed = "revision 3 (key \"<k>\xff\") in line 212",
         .signature = "etcd #15271: events are sent that had been sent before",
         .meanwhile = "stall, 0.8 s earlier",
         .evidence = {211, 212},
         .messages = {"line 211, at 1.0 ms: revision 799", "line 212, at 2.3 ms: revision 3"}});
  } else if (verdict != Verdict::kPass) {
    note.result.reason = "the reason";
  }
  return note;
}

inline RunRecord SampleRecord() {
  RunRecord record;
  record.id = "20260114T101500Z-51e9c2";
  record.folder = "watchproof-runs/20260114T101500Z-51e9c2";
  record.seed = "0x51e9c2";
  record.started = "2026-01-14T10:15:00Z";
  record.seconds = 12.5;
  record.executable = "watchproof";
  record.versions = {{"watchproof", "0.1.0"}};
  record.targets = {{.text = "embedded"}, {.text = "etcd:/usr/bin/etcd", .name = "etcd"}};
  for (const char* name : {"Ordered.NeverGoesBack", "Reliable.MissesNothing", "Unique.NoTwins"}) {
    record.cases.push_back({.name = name,
                            .requirement = "watch guarantees",
                            .level = "must",
                            .file = "cases/x.cc",
                            .line = 7});
  }
  const std::string etcd = "etcd:/usr/bin/etcd";
  record.attempts.push_back(SampleAttempt("Ordered.NeverGoesBack", "embedded", Verdict::kPass));
  record.attempts.push_back(SampleAttempt("Ordered.NeverGoesBack", etcd, Verdict::kFail));
  AttemptSummary known = SampleAttempt("Reliable.MissesNothing", etcd, Verdict::kFail);
  known.expectation = ExpectationStatus::kKnownFailure;
  known.result.known = true;
  known.result.reason = "a delete is lost";
  known.result.upstream = {18089};
  record.attempts.push_back(known);
  AttemptSummary undecided =
      SampleAttempt("Reliable.MissesNothing", "embedded", Verdict::kInconclusive);
  undecided.result.receipts.push_back({.fault = "stall",
                                       .fired = false,
                                       .required = true,
                                       .armed_at = 1,
                                       .healed_at = 2,
                                       .measured = {{"bytes_withheld", 12}},
                                       .text = "withheld 12 bytes"});
  record.attempts.push_back(undecided);
  record.attempts.push_back(SampleAttempt("Unique.NoTwins", "embedded", Verdict::kHarnessError));
  record.not_run.push_back(
      {.case_name = "Unique.NoTwins", .target = etcd, .attempt = 1, .seed = "0x51e9c2"});
  return record;
}

}  // namespace watchproof
