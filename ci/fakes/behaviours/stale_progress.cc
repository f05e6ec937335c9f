// SPDX-License-Identifier: Apache-2.0
// Behaviour stale-progress: see its explanation below.
#include "ci/fakes/behaviour.h"

namespace watchproof::fakes {
namespace {

class StandsStill final : public WatchTamper {
  void Answered(WatchResponse& response, Wire& wire) override {
    const std::int64_t revision = response.header().revision();
    if (first_ == 0) first_ = revision;
    if (IsProgress(response) && revision > first_) {
      response.mutable_header()->set_revision(first_);
      wire.Tampered("held back the revision of progress");
    }
    wire.ToClient(response);
  }

  std::int64_t first_ = 0;  // what the stream began with
};

const BehaviourRegistration kStaleProgress(
    {.name = "stale-progress",
     .explain = "Answers progress requests, and sends periodic progress, always with the revision "
                "at which the stream began.",
     .guarantees = {"Bookmarkable"}},
    EachStream<StandsStill>);

}  // namespace
}  // namespace watchproof::fakes
