// SPDX-License-Identifier: Apache-2.0
// Behaviour progress-never-answered: see its explanation below.
#include "ci/fakes/behaviour.h"

namespace watchproof::fakes {
namespace {

class NoProgress final : public WatchTamper {
  void Asked(WatchRequest& request, Wire& wire) override {
    if (request.has_progress_request()) {
      return wire.Tampered("left a request for progress without an answer");
    }
    wire.ToStore(request);
  }
  void Answered(WatchResponse& response, Wire& wire) override {
    if (IsProgress(response)) return wire.Tampered("swallowed progress");
    wire.ToClient(response);
  }
};

const BehaviourRegistration kProgressNeverAnswered(
    {.name = "progress-never-answered",
     .explain = "Never sends progress, whether requested or not.",
     .guarantees = {"Bookmarkable"}},
    EachStream<NoProgress>);

}  // namespace
}  // namespace watchproof::fakes
