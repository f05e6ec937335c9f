// SPDX-License-Identifier: Apache-2.0
// Behaviour reorders-within-revision: see its explanation below.
#include "ci/fakes/behaviour.h"

namespace watchproof::fakes {
namespace {

std::int64_t RevisionOf(const WatchResponse& response, int event) {
  return response.events(event).kv().mod_revision();
}

class Reorders final : public WatchTamper {
  void Answered(WatchResponse& response, Wire& wire) override {
    for (int i = 0; i + 1 < response.events_size(); ++i) {
      if (RevisionOf(response, i) != RevisionOf(response, i + 1)) continue;
      response.mutable_events()->SwapElements(i, i + 1);
      wire.Tampered("swapped two events of one revision");
      ++i;
    }
    wire.ToClient(response);
  }
};

const BehaviourRegistration kReordersWithinRevision(
    {.name = "reorders-within-revision",
     .explain = "Swaps neighbours among the events of one revision.",
     .guarantees = {"Ordered"},
     .only_noted = true},
    EachStream<Reorders>);

}  // namespace
}  // namespace watchproof::fakes
