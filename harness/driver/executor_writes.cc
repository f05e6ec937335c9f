// SPDX-License-Identifier: Apache-2.0
// The steps that change the store.
#include <algorithm>

#include "harness/driver/executor.h"
#include "harness/model/operations.h"

namespace watchproof {
namespace {

constexpr Duration kLoadPatience = 30s;  // for all calls of a load

}  // namespace

Status Executor::NoteHead(const Result<Revision>& revision) {
  if (!revision.has_value()) return revision.error();
  head_ = std::max(head_, *revision);
  return {};
}

Status Executor::NoteWrite(const Result<Revision>& revision) {
  WP_RETURN_IF_ERROR(NoteHead(revision));
  writes_.push_back(*revision);
  return {};
}

std::int64_t Executor::LeaseOf(const PutStep& step) const {
  return step.lease.empty() ? 0 : leases_.at(step.lease);
}

Status Executor::Do(const PutStep& step) {
  return NoteWrite(
      environment_.kv().Put(environment_.Placed(step.key), step.value.Make(), LeaseOf(step)));
}

Status Executor::Do(const DeleteStep& step) {
  return NoteWrite(environment_.kv().Delete(environment_.Placed(step.key),
                                            environment_.PlacedEnd(step.range_end)));
}

Status Executor::Do(const TxnStep& step) {
  std::vector<WriteOp> writes;
  for (const auto& write : step.writes) {
    if (const auto* put = std::get_if<PutStep>(&write)) {
      writes.push_back({.kind = WriteOp::Kind::kPut,
                        .key = environment_.Placed(put->key),
                        .value = put->value.Make(),
                        .lease = LeaseOf(*put)});
    } else {
      const auto& erase = std::get<DeleteStep>(write);
      writes.push_back({.kind = WriteOp::Kind::kDelete,
                        .key = environment_.Placed(erase.key),
                        .range_end = environment_.PlacedEnd(erase.range_end)});
    }
  }
  return NoteWrite(environment_.kv().Transact(writes));
}

Status Executor::Do(const CompactStep& step) {
  const Revision at = Resolve(step.at);
  WP_RETURN_IF_ERROR(environment_.CheckFloor());
  using Answer = KvClient::Answer;
  const auto done =
      environment_.kv().Compact(at, step.at_once ? Answer::kAtOnce : Answer::kPhysical);
  // Whether the target had to reject it is judged from the recording.
  if (step.refused && !done.has_value() && !IsDefiniteRefusal(done.error().code())) {
    return done.error();
  }
  if (step.refused || done.has_value()) return {};
  // The harness itself never compacts beyond the plan.
  const bool by_others = environment_.target().shared() &&
                         done.error().code() == StatusCode::kOutOfRange && at <= head_;
  if (!by_others) return done.error();
  inconclusive_.push_back(fmt::format(
      "others compacted the target beyond revision {} before the plan's compaction there", at));
  return {};
}

Status Executor::Do(const LeaseStep& step) {
  WP_ASSIGN_OR_RETURN(leases_[step.lease], environment_.Grant(step.ttl));
  return {};
}

// The answer has the last revision that the revocation made.
Status Executor::Do(const RevokeStep& step) {
  return NoteHead(environment_.kv().Revoke(leases_.at(step.lease)));
}

Status Executor::Do(const AwaitExpiredStep& step) {
  const std::int64_t lease = leases_.at(step.lease);
  Status trouble;
  Await(fmt::format("the end of lease {}", step.lease), kPatience, [&] {
    const Result<bool> held = environment_.HasLease(lease);
    if (!held.has_value()) trouble = held.error();
    return !held.has_value() || !*held;
  });
  WP_RETURN_IF_ERROR(trouble);
  return NoteHead(environment_.Head());
}

Status Executor::Do(const AuthStep& step) {
  std::vector<RestrictedReader> readers;
  for (const AuthStep::Reader& reader : step.readers) {
    readers.push_back({.user = reader.user,
                       .key = environment_.Placed(reader.key),
                       .range_end = environment_.PlacedEnd(reader.range_end)});
  }
  return environment_.EnableUsers(readers);
}

Status Executor::Do(const LoadStep& step) {
  loads_[step.load] = environment_.StartLoad(step);
  return {};
}

// A load that was never begun has ended: shrinking may have left it out.
Status Executor::Do(const AwaitLoadStep& step) {
  const auto load = loads_.find(step.load);
  if (load == loads_.end()) return {};
  Await(fmt::format("the end of load {}", step.load), kLoadPatience,
        [&] { return load->second->done(); });
  if (step.lost && load->second->lost() == 0 && !environment_.GivesUp()) {
    inconclusive_.push_back(fmt::format("no call of load {} lost its answer", step.load));
  }
  head_ = std::max(head_, load->second->highest());
  return {};
}

void Executor::StopLoads() {
  for (const auto& [name, load] : loads_) {
    load->Stop();
    head_ = std::max(head_, load->highest());
  }
}

}  // namespace watchproof
