// SPDX-License-Identifier: Apache-2.0
// Findings as they are reported and kept with the results: with the text of the guarantee, the
// fault that was active, and the messages that contradict each other.
//
//   result.findings = RecordsOf(judgement.findings, result.receipts, target);
//   WP_RETURN_IF_ERROR(QuoteEvidence(folder / "history.wire.zst", result.findings));
//   LeaveEvidence(folder, result);
//
// Threads: functions without state.
#pragma once

#include <filesystem>
#include <vector>

#include "harness/bugs/answer_key.h"
#include "harness/checkers/finding.h"
#include "harness/consumers/consumer_judge.h"
#include "harness/history/run_started.h"
#include "harness/results/result.h"

namespace watchproof {

// The target's product and version in the recording, for comparing findings with known bugs.
BugCarrier CarrierOf(const RunStarted& started);

// When the faults of a recording were armed and healed, from its lines: the same live and when it
// is judged again.
class FaultTimes {
 public:
  void Consume(const Entry& entry);
  const std::vector<ReceiptRecord>& receipts() const { return receipts_; }

 private:
  std::vector<ReceiptRecord> receipts_;
};

std::vector<FindingRecord> RecordsOf(const std::vector<Finding>& findings,
                                     const std::vector<ReceiptRecord>& receipts,
                                     const BugCarrier& target = {});

// What of the target's findings explains a wrong state above it: wrong fields of a message do not.
// Null: nothing.
const FindingRecord* WrongBelow(const std::vector<FindingRecord>& of_target);

// The findings on a consumer. What the target did wrong at the same time is below every layer.
std::vector<FindingRecord> RecordsOf(const ConsumerJudgement& judgement,
                                     const std::vector<FindingRecord>& of_target,
                                     const std::vector<ReceiptRecord>& receipts);

// Adds the lines of the recording that each finding rests on. Reads the file once.
Status QuoteEvidence(const std::filesystem::path& history, std::vector<FindingRecord>& findings);

// What an attempt leaves in its folder for readers, once the recording was closed: findings.json,
// faults.json, and the logs of the target, compressed. Quotes the recording in the findings.
void LeaveEvidence(const std::filesystem::path& folder, AttemptResult& result);

}  // namespace watchproof
