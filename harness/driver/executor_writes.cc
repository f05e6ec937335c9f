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
  return NoteWrite(world_.kv().Put(world_.Placed(step.key), step.value.Make(), LeaseOf(step)));
}

Status Executor::Do(const DeleteStep& step) {
  return NoteWrite(world_.kv().Delete(world_.Placed(step.key), world_.PlacedEnd(step.range_end)));
}

Status Executor::Do(const TxnStep& step) {
  std::vector<WriteOp> writes;
  for (const auto& write : step.writes) {
    if (const auto* put = std::get_if<PutStep>(&write)) {
      writes.push_back({.kind = WriteOp::Kind::kPut,
                        .key = world_.Placed(put->key),
                        .value = put->value.Make(),
                        .lease = LeaseOf(*put)});
    } else {
      const auto& erase = std::get<DeleteStep>(write);
      writes.push_back({.kind = WriteOp::Kind::kDelete,
                        .key = world_.Placed(erase.key),
                        .range_end = world_.PlacedEnd(erase.range_end)});
    }
  }
  return NoteWrite(world_.kv().Transact(writes));
}

Status Executor::Do(const CompactStep& step) {
  const Revision at = Resolve(step.at);
  WP_RETURN_IF_ERROR(world_.CheckFloor());
  using Answer = KvClient::Answer;
  const auto done = world_.kv().Compact(at, step.at_once ? Answer::kAtOnce : Answer::kPhysical);
  // Whether it had to be refused is judged from the recording.
  if (step.refused && !done.has_value() && !IsDefiniteRefusal(done.error().code())) {
    return done.error();
  }
  if (step.refused || done.has_value()) return {};
  // Nobody of ours compacts ahead of the plan.
  const bool by_others =
      world_.target().shared() && done.error().code() == StatusCode::kOutOfRange && at <= head_;
  if (!by_others) return done.error();
  unproven_.push_back(fmt::format(
      "others had compacted the target beyond revision {}, to which the plan does", at));
  return {};
}

Status Executor::Do(const LeaseStep& step) {
  WP_ASSIGN_OR_RETURN(leases_[step.lease], world_.Grant(step.ttl));
  return {};
}

// The answer tells the last revision that it made.
Status Executor::Do(const RevokeStep& step) {
  return NoteHead(world_.kv().Revoke(leases_.at(step.lease)));
}

Status Executor::Do(const AwaitExpiredStep& step) {
  const std::int64_t lease = leases_.at(step.lease);
  Status trouble;
  Await(fmt::format("the end of lease {}", step.lease), kPatience, [&] {
    const Result<bool> lives = world_.Lives(lease);
    if (!lives.has_value()) trouble = lives.error();
    return !lives.has_value() || !*lives;
  });
  WP_RETURN_IF_ERROR(trouble);
  return NoteHead(world_.Head());
}

Status Executor::Do(const AuthStep& step) {
  std::vector<WorldReader> readers;
  for (const AuthStep::Reader& reader : step.readers) {
    readers.push_back({.user = reader.user,
                       .key = world_.Placed(reader.key),
                       .range_end = world_.PlacedEnd(reader.range_end)});
  }
  return world_.AskForUsers(readers);
}

Status Executor::Do(const LoadStep& step) {
  loads_[step.load] = world_.StartLoad(step);
  return {};
}

// A load that was never begun has ended: shrinking may have left it out.
Status Executor::Do(const AwaitLoadStep& step) {
  const auto load = loads_.find(step.load);
  if (load == loads_.end()) return {};
  Await(fmt::format("the end of load {}", step.load), kLoadPatience,
        [&] { return load->second->done(); });
  if (step.lost && load->second->lost() == 0 && !world_.GivesUp()) {
    unproven_.push_back(fmt::format("no call of load {} lost its answer", step.load));
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
