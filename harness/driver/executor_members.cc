// SPDX-License-Identifier: Apache-2.0
// The steps that address members of a cluster.
#include "harness/driver/executor.h"
#include "harness/model/operations.h"

namespace watchproof {
namespace {

// A member that comes back may have to receive everything.
constexpr Duration kCatchUpPatience = 20s;
constexpr std::string_view kSnapshots = "etcd_network_snapshot_receive_success";

}  // namespace

Status Executor::Do(const UseMemberStep& step) {
  environment_.UseMember(step.member);
  return {};
}

Status Executor::Do(const AwaitCaughtUpStep& step) {
  const Revision through = head_;
  Await(fmt::format("member {} to follow a leader through revision {}", step.member, through),
        kCatchUpPatience, [&] {
          const auto status = environment_.StatusOf(step.member);
          return status.has_value() && status->leader != 0 && Revision(status->revision) >= through;
        });
  return {};
}

Status Executor::Do(const AwaitSnapshotStep& step) {
  Await(fmt::format("member {} to receive a snapshot", step.member), kCatchUpPatience,
        [&] { return environment_.MetricOf(step.member, kSnapshots).value_or(0) > 0; });
  return {};
}

// Whether the other members reject it, too, shows on their watches.
Status Executor::Do(const RefusedTxnStep& step) {
  const auto done = environment_.kv().Transact({{.kind = WriteOp::Kind::kPut,
                                                 .key = environment_.Placed(step.write.key),
                                                 .value = step.write.value.Make()},
                                                {.kind = WriteOp::Kind::kRead,
                                                 .key = environment_.Placed(step.key),
                                                 .revision = Resolve(step.at)}});
  if (done.has_value()) return NoteHead(done);
  if (!IsDefiniteRefusal(done.error().code())) return done.error();
  return {};
}

Status Executor::Do(const MustEndStep& step) {
  WP_ASSIGN_OR_RETURN(WatchStream* const stream, environment_.Stream(step.stream));
  environment_.Annotate(
      StreamEndDue{.stream = stream->id(), .limit_ms = InMilliseconds(step.limit)});
  environment_.PumpUntil([&] { return environment_.HasEnded(stream->id()); }, Within(step.limit));
  if (!environment_.GivesUp()) environment_.Annotate(StreamEndOver{stream->id()});
  environment_.PumpAll();
  return {};
}

}  // namespace watchproof
