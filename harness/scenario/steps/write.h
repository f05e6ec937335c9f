// SPDX-License-Identifier: Apache-2.0
// The steps that write keys, and the compaction. See step.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/history/requests.h"
#include "harness/scenario/step.h"

namespace watchproof {

struct PutStep {
  std::string key;
  ValueRef value;
  std::string lease{};       // that the key is attached to
  bool previous = false;     // asks for what it replaces
  bool keeps_value = false;  // changes only the lease
  bool keeps_lease = false;  // changes only the value
  static constexpr std::string_view kOp = "put";
  static constexpr bool kWrites = true;
  void Fields(FieldList& field) {
    field("key", key).Is(Subject::kKey);
    field("value", value);
    field("lease", lease).Optional().MayUse(Subject::kLease);
    field("previous", previous).Optional();
    field("keeps_value", keeps_value).Optional();
    field("keeps_lease", keeps_lease).Optional();
  }
  std::string_view Request() const { return "a put"; }
  Usage Cost() const;
  std::vector<PutStep> Smaller() const;
  std::string BeyondKubernetes() const;
  Status Run(StepContext& context) const;
};

// Puts a key so many times, each put once the watches of the group have received the one before:
// nothing else is asked of the target meanwhile, so what a put left asleep stays so, and is a
// finding of Settled. Ends early with the first that does not come, and when the time is over.
struct PacedPutsStep {
  std::string key;
  std::string group;
  std::size_t count = 1;
  Duration time = 9s;
  static constexpr std::uint64_t kMostPuts = 1'000'000;
  static constexpr std::string_view kOp = "paced puts";
  void Fields(FieldList& field) {
    field("key", key).Is(Subject::kKey);
    field("group", group).Uses(Subject::kGroup);
    field("count", count).Within(1, kMostPuts, "puts");
    field("us", time).Waits();
  }
  std::string_view Request() const { return "a put"; }
  Usage Cost() const;
  std::vector<PacedPutsStep> Smaller() const;
  Status Run(StepContext& context) const;
};

struct DeleteStep {
  std::string key;
  std::string range_end{};
  bool previous = false;  // asks for what it deletes
  static constexpr std::string_view kOp = "delete";
  static constexpr bool kWrites = true;
  void Fields(FieldList& field) {
    field("key", key).Is(Subject::kKey);
    field("range_end", range_end).Optional();
    field("previous", previous).Optional();
  }
  std::string_view Request() const { return "a deletion"; }
  Usage Cost() const { return {.operations = 1}; }
  std::string BeyondKubernetes() const;
  Status Run(StepContext& context) const;
};

// Reads a key or a range; the answer is judged.
struct ReadStep {
  std::string key;
  std::string range_end{};
  RevisionRef at{};  // now: as the keys are
  std::int64_t limit = 0;
  bool serializable = false;
  bool count_only = false;
  bool keys_only = false;
  bool descending = false;
  bool in_parts = false;  // by RangeStream
  static constexpr std::string_view kOp = "read";
  void Fields(FieldList& field) {
    field("key", key);
    field("range_end", range_end).Optional();
    field("at", at).Optional();
    field("limit", limit).Optional();
    field("serializable", serializable).Optional();
    field("count_only", count_only).Optional();
    field("keys_only", keys_only).Optional();
    field("descending", descending).Optional();
    field("in_parts", in_parts).Optional();
  }
  std::string_view Request() const { return "a read"; }
  Usage Cost() const { return {.operations = 1}; }
  std::string BeyondKubernetes() const;
  Status Run(StepContext& context) const;
};

struct TxnStep {
  // Puts, deletions, reads of a key or range, now or at a revision, and transactions.
  std::vector<Step> writes;
  // Compares the key, or each of the range: they must not be there. Empty: nothing is compared.
  std::string absent{};
  std::string absent_end{};
  std::vector<Step> otherwise{};  // if one is
  static constexpr std::string_view kOp = "txn";
  static constexpr bool kWrites = true;
  void Fields(FieldList& field) {
    field("writes", writes).Of({PutStep::kOp, DeleteStep::kOp, ReadStep::kOp, TxnStep::kOp});
    field("absent", absent).Optional();
    field("absent_end", absent_end).Optional();
    field("otherwise", otherwise)
        .Of({PutStep::kOp, DeleteStep::kOp, ReadStep::kOp, TxnStep::kOp})
        .Optional();
  }
  std::string_view Request() const { return "a transaction"; }
  Usage Cost() const;
  std::vector<TxnStep> Smaller() const;
  std::string BeyondKubernetes() const { return "a transaction of several writes"; }
  Status Run(StepContext& context) const;
};

// A transaction that a target must reject as a whole: it reads a compacted revision, or changes a
// key twice.
struct RefusedTxnStep {
  std::vector<Step> writes;  // as of a transaction
  static constexpr std::string_view kOp = "refused txn";
  void Fields(FieldList& field) {
    field("writes", writes).Of({PutStep::kOp, DeleteStep::kOp, ReadStep::kOp, TxnStep::kOp});
  }
  std::string_view Request() const { return "a transaction"; }
  Usage Cost() const { return TxnStep{writes}.Cost(); }
  std::string BeyondKubernetes() const { return "a transaction of several requests"; }
  Status Run(StepContext& context) const;
};

// What a put, deletion, read or transaction sends; empty: the step is none of these.
std::optional<KvRequest> RequestOf(StepContext& context, const Step& step);

struct CompactStep {
  RevisionRef at;
  bool at_once = false;  // answered before the target's backend has removed anything
  bool refused = false;  // the target must reject it; otherwise a finding of CompactionSurfaced
  static constexpr std::string_view kOp = "compact";
  void Fields(FieldList& field) {
    field("at", at);
    field("at_once", at_once).Optional();
    field("refused", refused).Optional();
  }
  std::string_view Request() const { return "a compaction"; }
  Usage Cost() const { return {.compactions = 1, .operations = 1}; }
  Status Run(StepContext& context) const;
};

}  // namespace watchproof
