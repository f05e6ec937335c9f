// SPDX-License-Identifier: Apache-2.0
// Behaviour splits-revisions: see its explanation below.
#include "ci/fakes/behaviour.h"

namespace watchproof::fakes {
namespace {

class Splits final : public WatchTamper {
  void Answered(WatchResponse& response, Wire& wire) override {
    const int last = response.events_size() - 1;
    const bool together = last > 0 && response.events(last).kv().mod_revision() ==
                                          response.events(last - 1).kv().mod_revision();
    if (!together || response.fragment()) return wire.ToClient(response);
    WatchResponse second = response;
    second.clear_events();
    *second.add_events() = response.events(last);
    response.mutable_events()->RemoveLast();
    wire.Tampered("split a revision over two messages");
    wire.ToClient(response);
    wire.ToClient(second);
  }
};

const BehaviourRegistration kSplitsRevisions(
    {.name = "splits-revisions",
     .explain = "Delivers the last event of a transaction in a message of its own.",
     .guarantees = {"Atomic"}},
    EachStream<Splits>);

}  // namespace
}  // namespace watchproof::fakes
