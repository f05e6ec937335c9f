// SPDX-License-Identifier: Apache-2.0
// Behaviour false-compacted-when-idle: see its explanation below.
#include <algorithm>
#include <map>

#include "ci/fakes/behaviour.h"
#include "ci/fakes/creates.h"
#include "ci/fakes/floor.h"

namespace watchproof::fakes {
namespace {

class EndsIdleWatches final : public WatchTamper {
 public:
  explicit EndsIdleWatches(const Floor& floor) : floor_(floor) {}
  void Asked(WatchRequest& request, Wire& wire) override {
    if (request.has_create_request()) creates_.Asked(request.create_request());
    wire.ToStore(request);
  }
  void Answered(WatchResponse& response, Wire& wire) override {
    const std::int64_t id = response.watch_id();
    const std::int64_t revision = response.header().revision();
    if (response.created()) {
      const WatchCreateRequest create = creates_.Answered(response);
      const bool now = create.start_revision() == 0 || create.start_revision() > revision;
      watches_.erase(id);
      if (!response.canceled() && now) watches_[id] = {.stands_at = revision};
    } else if (const auto found = watches_.find(id); found != watches_.end()) {
      if (found->second.ended) return;
      if (response.canceled()) {
        watches_.erase(found);
      } else if (response.events_size() > 0) {
        found->second.last_event = response.events().rbegin()->kv().mod_revision();
        found->second.stands_at = std::max(found->second.stands_at, found->second.last_event);
      }
    }
    wire.ToClient(response);
  }
  void Ticked(Wire& wire) override {
    const std::int64_t floor = floor_.get();
    if (floor == 0) return;
    for (auto& [id, watch] : watches_) {
      if (watch.ended || watch.stands_at < floor || watch.last_event >= floor) continue;
      watch.ended = true;
      WatchResponse response;
      response.mutable_header()->set_revision(watch.stands_at);
      response.set_watch_id(id);
      response.set_canceled(true);
      response.set_compact_revision(floor);
      wire.Tampered("ended a watch with ErrCompacted that had missed no event");
      wire.ToClient(response);
    }
  }

 private:
  struct Idle {
    std::int64_t stands_at = 0;  // everything up to here is delivered
    std::int64_t last_event = 0;
    bool ended = false;
  };
  const Floor& floor_;
  Creates creates_;
  std::map<std::int64_t, Idle> watches_;
};

class FalseCompacted final : public Behaviour {
  std::unique_ptr<WatchTamper> NewStream() override {
    return std::make_unique<EndsIdleWatches>(floor_);
  }
  void Answered(const std::string& method, const std::string& request,
                const std::string&) override {
    floor_.Learn(method, request);
  }
  Floor floor_;
};

const BehaviourRegistration kFalseCompactedWhenIdle(
    {.name = "false-compacted-when-idle",
     .explain = "Ends a watch with ErrCompacted when a compaction passes its last event, "
                "although it had caught up before.",
     .guarantees = {"CompactionSurfaced"}},
    [] { return std::make_unique<FalseCompacted>(); });

}  // namespace
}  // namespace watchproof::fakes
