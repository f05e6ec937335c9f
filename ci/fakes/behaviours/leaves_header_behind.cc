// SPDX-License-Identifier: Apache-2.0
// Behaviour leaves-header-behind: see its explanation below.
#include "ci/fakes/behaviour.h"

namespace watchproof::fakes {
namespace {

class OldHeader final : public WatchTamper {
  void Answered(WatchResponse& response, Wire& wire) override {
    if (response.events_size() > 0) {
      response.mutable_header()->set_revision(1);
      wire.Tampered("gave a message of events a header below them");
    }
    wire.ToClient(response);
  }
};

const BehaviourRegistration kLeavesHeaderBehind(
    {.name = "leaves-header-behind",
     .explain = "The header of every message of events shows revision 1.",
     .guarantees = {"Headers"}},
    EachStream<OldHeader>);

}  // namespace
}  // namespace watchproof::fakes
