// SPDX-License-Identifier: Apache-2.0
// Progress that is withheld, too old, or not requested.
#include "ci/fakes/behaviour.h"
#include "ci/fakes/creates.h"

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

class Chatters final : public WatchTamper {
  static constexpr int kEvery = 5;

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
