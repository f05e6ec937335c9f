// SPDX-License-Identifier: Apache-2.0
// Behaviour no-compact-revision: see its explanation below.
#include <set>

#include "ci/fakes/behaviour.h"
#include "ci/fakes/creates.h"
#include "ci/fakes/floor.h"

namespace watchproof::fakes {
namespace {

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

class NoCompactRevision final : public Behaviour {
  std::unique_ptr<WatchTamper> NewStream() override { return std::make_unique<HidesFloor>(floor_); }
  void Answered(const std::string& method, const std::string& request,
                const std::string&) override {
    floor_.Learn(method, request);
  }
  Floor floor_;
};

const BehaviourRegistration kNoCompactRevision(
    {.name = "no-compact-revision",
     .explain = "A watch that starts below the compaction floor is answered with created "
                "and canceled in one message, and no watch is ever shown a "
                "compact_revision.",
     .guarantees = {"CompactionSurfaced"}},
    [] { return std::make_unique<NoCompactRevision>(); });

}  // namespace
}  // namespace watchproof::fakes
