// SPDX-License-Identifier: Apache-2.0
#include "ci/mutants/reference_truth.h"

#include <algorithm>
#include <map>
#include <set>

#include "harness/history/annotation.h"

namespace watchproof {
namespace {

struct Step {
  bool deletes = false;
  std::string key;
  std::string end;           // of a delete, with etcd's meaning
  std::int64_t deleted = 0;  // likewise
  PutRequestView put;
};

struct Write {
  std::uint64_t begun = 0;
  std::uint64_t ended = 0;
  std::vector<Step> steps;
  bool changes = false;
};

struct Call {
  std::uint64_t begun = 0;
  Method method = Method::kNone;
  std::string_view request;
  std::size_t index = 0;  // into the truth's calls
};

Status AddSteps(Method kind, std::string_view request, std::string_view response, Write& write) {
  if (kind == Method::kPut) {
    PutRequestView put;
    WP_RETURN_IF_ERROR(Parse(request, put));
    write.steps.push_back({.key = std::string(put.key), .end = {}, .put = put});
    write.changes = true;
  } else if (kind == Method::kDeleteRange) {
    DeleteRangeRequestView range;
    DeleteRangeResponseView answer;
    WP_RETURN_IF_ERROR(Parse(request, range));
    WP_RETURN_IF_ERROR(Parse(response, answer));
    write.steps.push_back({.deletes = true,
                           .key = std::string(range.key),
                           .end = std::string(range.range_end),
                           .deleted = answer.deleted,
                           .put = {}});
    write.changes = write.changes || answer.deleted > 0;
  } else if (kind == Method::kTxn) {
    TxnRequestView txn;
    TxnResponseView answer;
    WP_RETURN_IF_ERROR(Parse(request, txn));
    WP_RETURN_IF_ERROR(Parse(response, answer));
    const auto& branch = answer.succeeded ? txn.success : txn.failure;
    if (branch.size() != answer.responses.size()) {
      return Fail(StatusCode::kDataLoss, "a transaction was answered with other operations");
    }
    for (std::size_t i = 0; i < branch.size(); ++i) {
      WP_RETURN_IF_ERROR(AddSteps(branch[i].kind, branch[i].body, answer.responses[i].body, write));
    }
  }
  return Status();
}

bool Writes(Method method) {
  return method == Method::kPut || method == Method::kDeleteRange || method == Method::kTxn;
}

// Calls that cannot have had an effect.
bool Refused(StatusCode code) {
  static const std::set<StatusCode> kRefusals = {
      StatusCode::kInvalidArgument,   StatusCode::kNotFound,
      StatusCode::kAlreadyExists,     StatusCode::kPermissionDenied,
      StatusCode::kResourceExhausted, StatusCode::kFailedPrecondition,
      StatusCode::kOutOfRange,        StatusCode::kUnimplemented};
  return kRefusals.contains(code);
}

class Replayer {
 public:
  Result<ReferenceTruth> Run(const std::vector<NumberedEntry>& lines) {
    for (const NumberedEntry& line : lines) {
      if (line.entry.kind == EntryKind::kCallStarted) WP_RETURN_IF_ERROR(Begin(line));
      if (line.entry.kind == EntryKind::kCallEnded) WP_RETURN_IF_ERROR(End(line));
      if (IsStage(line.entry, Stage::kConverged)) {
        truth_.converged = line.line.value;
      }
    }
    if (truth_.converged == 0) {
      return Fail(StatusCode::kFailedPrecondition, "the run did not converge");
    }
    for (const auto& [id, call] : calls_) {
      if (Writes(call.method)) return Unknown(call.begun);
    }
    if (!writes_.empty()) truth_.base = writes_.begin()->first - 1;
    std::int64_t expected = truth_.base + 1;
    for (const auto& [revision, write] : writes_) {
      if (revision != expected++) {
        return Fail(StatusCode::kFailedPrecondition, "revision {} was written by others",
                    expected - 1);
      }
      WP_RETURN_IF_ERROR(Apply(revision, write));
    }
    return truth_;
  }

 private:
  static Status Unknown(std::uint64_t line) {
    return Fail(StatusCode::kFailedPrecondition, "the write of line {} has an unknown outcome",
                line);
  }

  Status Begin(const NumberedEntry& line) {
    const Entry& entry = line.entry;
    calls_[entry.call.value] = {line.line.value, entry.method, entry.payload.view(),
                                truth_.calls.size()};
    truth_.calls.push_back({.begun = line.line.value,
                            .writes = Writes(entry.method),
                            .leases = entry.method == Method::kLeaseRevoke});
    if (entry.method != Method::kCompact) return Status();
    CompactionRequestView request;
    WP_RETURN_IF_ERROR(Parse(entry.payload.view(), request));
    compactions_[entry.call.value] = truth_.compactions.size();
    truth_.compactions.push_back({.revision = request.revision, .begun = line.line.value});
    return Status();
  }

  Status End(const NumberedEntry& line) {
    const Entry& entry = line.entry;
    const auto found = calls_.find(entry.call.value);
    if (found == calls_.end()) return Status();
    const Call call = found->second;
    calls_.erase(found);
    ReferenceCall& of = truth_.calls[call.index];
    of.ended = line.line.value;
    HeaderView reported;
    if (entry.code == StatusCode::kOk && ParseHeader(entry.payload.view(), reported).ok()) {
      of.reported = reported.revision;
      of.leases = of.leases || call.method == Method::kLeaseGrant;
    }
    if (call.method == Method::kCompact) {
      ReferenceCompaction& compaction = truth_.compactions[compactions_[entry.call.value]];
      compaction.ended = line.line.value;
      compaction.done = entry.code == StatusCode::kOk;
      compaction.refused = Refused(entry.code);
      return Status();
    }
    if (call.method == Method::kRange) return Read(call, entry);
    if (!Writes(call.method) || Refused(entry.code)) return Status();
    if (entry.code != StatusCode::kOk) return Unknown(call.begun);
    Write write{.begun = call.begun, .ended = line.line.value};
    HeaderView header;
    WP_RETURN_IF_ERROR(ParseHeader(entry.payload.view(), header));
    WP_RETURN_IF_ERROR(AddSteps(call.method, call.request, entry.payload.view(), write));
    if (write.changes) writes_[header.revision] = std::move(write);
    return Status();
  }

  Status Read(const Call& call, const Entry& answer) {
    RangeRequestView request;
    WP_RETURN_IF_ERROR(Parse(call.request, request));
    if (answer.code != StatusCode::kOk || request.serializable) return Status();
    HeaderView header;
    WP_RETURN_IF_ERROR(ParseHeader(answer.payload.view(), header));
    truth_.readings.push_back({call.begun, header.revision});
    return Status();
  }

  Status Put(std::int64_t revision, const PutRequestView& put) {
    KeyMetadata kv{std::string(put.key), std::string(put.value), revision, revision, 1, put.lease};
    ReferenceChange change{.revision = revision, .deleted = false, .kv = {}, .previous = {}};
    if (const auto before = store_.find(kv.key); before != store_.end()) {
      change.previous = before->second;
      change.metadata_known = !shady_.contains(kv.key);
      change.previous_metadata_known = change.metadata_known;
      kv.create_revision = before->second.create_revision;
      kv.version = before->second.version + 1;
      if (put.ignore_value) kv.value = before->second.value;
      if (put.ignore_lease) kv.lease = before->second.lease;
    } else if (truth_.base > 1 && !seen_.contains(kv.key)) {
      if (put.ignore_value || put.ignore_lease) return OldKeys(revision);
      change.past_known = false;
      change.metadata_known = false;
      shady_.insert(kv.key);
    }
    seen_.insert(kv.key);
    change.kv = kv;
    store_[kv.key] = kv;
    truth_.log.push_back(std::move(change));
    return Status();
  }

  static Status OldKeys(std::int64_t revision) {
    return Fail(StatusCode::kFailedPrecondition,
                "revision {} depends on keys from before the recording", revision);
  }

  Status Apply(std::int64_t revision, const Write& write) {
    const std::uint64_t before = truth_.begun.empty() ? 0 : truth_.begun.back();
    truth_.begun.push_back(std::max(before, write.begun));
    truth_.ended.push_back(std::max(truth_.ended.empty() ? 0 : truth_.ended.back(), write.ended));
    for (const Step& step : write.steps) {
      if (!step.deletes) {
        WP_RETURN_IF_ERROR(Put(revision, step.put));
        continue;
      }
      std::vector<KeyMetadata> doomed;
      for (const auto& [key, kv] : store_) {
        if (InRange(key, step.key, step.end)) doomed.push_back(kv);
      }
      if (step.deleted != static_cast<std::int64_t>(doomed.size())) return OldKeys(revision);
      for (const KeyMetadata& kv : doomed) {
        store_.erase(kv.key);
        KeyMetadata gone;
        gone.key = kv.key;
        gone.mod_revision = revision;
        ReferenceChange change{.revision = revision, .deleted = true, .kv = gone, .previous = kv};
        change.previous_metadata_known = shady_.erase(kv.key) == 0;
        truth_.log.push_back(std::move(change));
      }
    }
    return Status();
  }

  ReferenceTruth truth_;
  std::map<std::uint32_t, Call> calls_;  // begun, not ended
  std::map<std::uint32_t, std::size_t> compactions_;
  std::map<std::int64_t, Write> writes_;
  std::map<std::string, KeyMetadata> store_;
  std::set<std::string> seen_;   // keys that were ever put
  std::set<std::string> shady_;  // existing keys with an unknown past
};

}  // namespace

bool InRange(std::string_view key, std::string_view from, std::string_view end) {
  if (end.empty()) return key == from;
  return key >= from && (end == std::string_view("\0", 1) || key < end);
}

std::int64_t ReferenceTruth::MostAt(std::uint64_t line) const {
  return base + (std::lower_bound(begun.begin(), begun.end(), line) - begun.begin());
}

std::int64_t ReferenceTruth::CeilingAt(std::uint64_t line) const {
  std::int64_t reported = 1;
  std::int64_t out = 0;
  for (const ReferenceCall& call : calls) {
    if (call.begun >= line) continue;
    if (call.leases) return INT64_MAX;
    if (call.ended < line) reported = std::max(reported, call.reported);
    if (call.ended >= line && call.writes) ++out;
  }
  return reported + out;
}

std::int64_t ReferenceTruth::KnownAt(std::uint64_t line) const {
  return base + (std::lower_bound(ended.begin(), ended.end(), line) - ended.begin());
}

std::int64_t ReferenceTruth::MostReadAfter(std::uint64_t line) const {
  std::int64_t most = INT64_MAX;
  for (const ReferenceReading& reading : readings) {
    if (reading.begun > line) most = std::min(most, reading.revision);
  }
  return most;
}

std::int64_t ReferenceTruth::FloorAskedAt(std::uint64_t line) const {
  std::int64_t floor = 0;
  for (const ReferenceCompaction& compaction : compactions) {
    if (compaction.begun >= line) continue;
    if (compaction.refused && *compaction.ended < line) continue;
    floor = std::max(floor, compaction.revision);
  }
  return floor;
}

std::int64_t ReferenceTruth::FloorDoneAt(std::uint64_t line) const {
  std::int64_t floor = 0;
  for (const ReferenceCompaction& compaction : compactions) {
    if (compaction.done && *compaction.ended < line) floor = std::max(floor, compaction.revision);
  }
  return floor;
}

Result<ReferenceTruth> Replay(const std::vector<NumberedEntry>& lines) {
  return Replayer().Run(lines);
}

}  // namespace watchproof
