// SPDX-License-Identifier: Apache-2.0
// What the judge found, as it is told to people and kept with the results: with the promise in
// words, the fault that was active, and the messages that contradict each other.
//
//   result.findings = RecordsOf(judgement.findings, result.receipts, target);
//   WP_RETURN_IF_ERROR(QuoteEvidence(folder / "history.wire.zst", result.findings));
//
// Threads: functions without state.
#pragma once

#include <filesystem>
#include <vector>

#include "harness/checkers/finding.h"
#include "harness/checkers/known_bugs.h"
#include "harness/driver/result.h"
#include "harness/history/run_started.h"

namespace watchproof {

// What the target is to a reader of known bugs, as the recording says.
BugCarrier CarrierOf(const RunStarted& started);

// When the faults of a recording were armed and healed, as its lines say: the same while it is made
// and when it is judged again.
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

// Adds the lines of the recording that each finding rests on. Reads the file once.
Status QuoteEvidence(const std::filesystem::path& history, std::vector<FindingRecord>& findings);

}  // namespace watchproof
