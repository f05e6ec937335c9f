// SPDX-License-Identifier: Apache-2.0
// Behaviour cancels-silently: see its explanation below.
#include <set>

#include "ci/fakes/behaviour.h"

namespace watchproof::fakes {
namespace {

class SilentCancel final : public WatchTamper {
  void Asked(WatchRequest& request, Wire& wire) override {
    if (request.has_cancel_request()) cancelled_.insert(request.cancel_request().watch_id());
    wire.ToStore(request);
  }
  void Answered(WatchResponse& response, Wire& wire) override {
    if (response.canceled() && !response.created() && cancelled_.erase(response.watch_id()) > 0) {
      return wire.Tampered("left a cancel without an answer");
    }
    wire.ToClient(response);
  }

  std::set<std::int64_t> cancelled_;
};

const BehaviourRegistration kCancelsSilently({.name = "cancels-silently",
                                              .explain = "Obeys cancels, but never answers them.",
                                              .guarantees = {"Settled"}},
                                             EachStream<SilentCancel>);

}  // namespace
}  // namespace watchproof::fakes
