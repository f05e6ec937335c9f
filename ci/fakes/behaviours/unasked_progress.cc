// SPDX-License-Identifier: Apache-2.0
// Behaviour unasked-progress: see its explanation below.
#include "ci/fakes/behaviour.h"
#include "ci/fakes/creates.h"

namespace watchproof::fakes {
namespace {

constexpr int kEvery = 5;

class Chatters final : public WatchTamper {
  void Asked(WatchRequest& request, Wire& wire) override {
    if (request.has_create_request()) creates_.Asked(request.create_request());
    asked_ = asked_ || request.has_progress_request();
    wire.ToStore(request);
  }
  void Answered(WatchResponse& response, Wire& wire) override {
    wire.ToClient(response);
    if (response.created()) creates_.Answered(response);
    const auto watch = creates_.open().find(response.watch_id());
    if (watch == creates_.open().end() || watch->second.progress_notify() || asked_ ||
        response.fragment() || response.events_size() == 0 || ++messages_ % kEvery != 0) {
      return;
    }
    WatchResponse progress;
    *progress.mutable_header() = response.header();
    progress.mutable_header()->set_revision(response.events().rbegin()->kv().mod_revision());
    progress.set_watch_id(response.watch_id());
    wire.Tampered("sent progress that was not requested");
    wire.ToClient(progress);
  }

  Creates creates_;
  bool asked_ = false;
  int messages_ = 0;
};

const BehaviourRegistration kUnaskedProgress(
    {.name = "unasked-progress",
     .explain = "Sends correct progress to watches that did not ask for it.",
     .guarantees = {}},
    EachStream<Chatters>);

}  // namespace
}  // namespace watchproof::fakes
