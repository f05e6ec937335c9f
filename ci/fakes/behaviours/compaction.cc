// SPDX-License-Identifier: Apache-2.0
// ErrCompacted where it must not come, and its absence where it must.
#include <algorithm>
#include <atomic>
#include <map>
#include <set>

#include "ci/fakes/behaviour.h"
#include "ci/fakes/creates.h"

namespace watchproof::fakes {
namespace {

// The compaction floor as the calls to Compact that were answered, hence granted, show it.
class Floor {
 public:
  void Learn(const std::string& method, const std::string& request, const std::string&) {
    if (method != "/etcdserverpb.KV/Compact") return;
    etcdserverpb::CompactionRequest compaction;
    if (!compaction.ParseFromString(request)) return;
    std::int64_t known = floor_;
    while (known < compaction.revision() &&
           !floor_.compare_exchange_weak(known, compaction.revision())) {
    }
  }
  std::int64_t get() const { return floor_; }

 private:
  std::atomic<std::int64_t> floor_{0};
};

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

const BehaviourRegistration kFalseCompactedWhenIdle(
    {.name = "false-compacted-when-idle",
     .explain = "Ends a watch with ErrCompacted when a compaction passes its last event, "
                "although it had caught up before.",
     .guarantees = {"CompactionSurfaced"}},
    EachStreamWith<EndsIdleWatches, Floor>);

class HidesFloor final : public WatchTamper {
 public:
  explicit HidesFloor(const Floor& floor) : floor_(floor) {}
  void Asked(WatchRequest& request, Wire& wire) override {
    if (request.has_create_request()) creates_.Asked(request.create_request());
    wire.ToStore(request);
  }
  void Answered(WatchResponse& response, Wire& wire) override {
    if (response.created()) {
      const WatchCreateRequest create = creates_.Answered(response);
      const std::int64_t start = create.start_revision();
      if (start > 0 && start < floor_.get() && !response.canceled()) {
        ended_.insert(response.watch_id());
        response.set_canceled(true);
        response.set_cancel_reason("watch cannot be created");
        wire.Tampered("refused a start below the floor without saying so");
      } else {
        ended_.erase(response.watch_id());
      }
    } else if (ended_.contains(response.watch_id())) {
      return;
    } else if (response.compact_revision() > 0) {
      response.set_compact_revision(0);
      response.set_cancel_reason("");
      wire.Tampered("ended a watch below the floor without saying so");
    }
    wire.ToClient(response);
  }

 private:
  const Floor& floor_;
  Creates creates_;
  std::set<std::int64_t> ended_;
};

const BehaviourRegistration kNoCompactRevision(
    {.name = "no-compact-revision",
     .explain = "A watch that starts below the compaction floor is answered with created "
                "and canceled in one message, and no watch is ever shown a "
                "compact_revision.",
     .guarantees = {"CompactionSurfaced"}},
    EachStreamWith<HidesFloor, Floor>);

}  // namespace
}  // namespace watchproof::fakes
