// SPDX-License-Identifier: Apache-2.0
// The steps that write keys, and the compaction. See step.h.
#pragma once

#include <string>
#include <vector>

#include "harness/scenario/step.h"

namespace watchproof {

struct PutStep {
  std::string key;
  ValueRef value;
  std::string lease{};  // that the key is attached to
  static constexpr std::string_view kOp = "put";
  static constexpr bool kWrites = true;
  void Fields(FieldList& field);
  std::string_view Request() const { return "a put"; }
  Usage Cost() const;
  std::vector<PutStep> Smaller() const;
  Status Run(StepContext& context) const;
};

struct DeleteStep {
  std::string key;
  std::string range_end{};
  static constexpr std::string_view kOp = "delete";
  static constexpr bool kWrites = true;
  void Fields(FieldList& field);
  std::string_view Request() const { return "a deletion"; }
  Usage Cost() const { return {.operations = 1}; }
  std::string BeyondKubernetes() const { return range_end.empty() ? "" : "a deletion of a range"; }
  Status Run(StepContext& context) const;
};

struct TxnStep {
  std::vector<Step> writes;  // puts and deletions
  static constexpr std::string_view kOp = "txn";
  static constexpr bool kWrites = true;
  void Fields(FieldList& field);
  std::string_view Request() const { return "a transaction"; }
  Usage Cost() const;
  std::vector<TxnStep> Smaller() const;
  std::string BeyondKubernetes() const { return "a transaction of several writes"; }
  Status Run(StepContext& context) const;
};

// A put and a read of a revision in one transaction, which a target rejects as a whole when that
// revision is compacted.
struct RefusedTxnStep {
  PutStep write;
  std::string key;  // that is read
  RevisionRef at;
  static constexpr std::string_view kOp = "refused txn";
  void Fields(FieldList& field);
  std::string_view Request() const { return "a transaction"; }
  Usage Cost() const;
  std::string BeyondKubernetes() const { return "a transaction of several requests"; }
  Status Run(StepContext& context) const;
};

struct CompactStep {
  RevisionRef at;
  bool at_once = false;  // answered before the target's backend has removed anything
  bool refused = false;  // the target must reject it; otherwise a finding of CompactionSurfaced
  static constexpr std::string_view kOp = "compact";
  void Fields(FieldList& field);
  std::string_view Request() const { return "a compaction"; }
  Usage Cost() const { return {.compactions = 1, .operations = 1}; }
  Status Run(StepContext& context) const;
};

}  // namespace watchproof
