// SPDX-License-Identifier: Apache-2.0
// Behaviour ids-out-of-order: see its explanation below.
#include <optional>
#include <set>
#include <vector>

#include "ci/fakes/behaviour.h"
#include "ci/fakes/creates.h"

namespace watchproof::fakes {
namespace {

class SwapsAnswers final : public WatchTamper {
  void Asked(WatchRequest& request, Wire& wire) override {
    if (request.has_create_request()) creates_.Asked(request.create_request());
    wire.ToStore(request);
  }
  void Answered(WatchResponse& response, Wire& wire) override {
    if (!response.created()) return Later(response, wire);
    const WatchCreateRequest create = creates_.Answered(response);
    if (held_) {
      // With equal creates the order makes no difference.
      if (create.SerializeAsString() != held_create_.SerializeAsString()) {
        swapped_.insert({response.watch_id(), held_->watch_id()});
      }
      wire.ToClient(response);
      wire.ToClient(*held_);
      for (const WatchResponse& one : behind_) Pass(one, wire);
      held_.reset();
      behind_.clear();
    } else if (creates_.waiting() > 0) {
      held_ = response;
      held_create_ = create;
    } else {
      wire.ToClient(response);
    }
  }
  void Later(const WatchResponse& response, Wire& wire) {
    if (held_ && held_->watch_id() == response.watch_id()) {
      behind_.push_back(response);
    } else {
      Pass(response, wire);
    }
  }
  // Two that are refused, or end with ErrCompacted before any event, look the same.
  void Pass(const WatchResponse& response, Wire& wire) {
    if (response.events_size() > 0 && swapped_.erase(response.watch_id()) > 0) {
      wire.Tampered("answered two creates in the wrong order");
    }
    wire.ToClient(response);
  }

  Creates creates_;
  std::optional<WatchResponse> held_;
  WatchCreateRequest held_create_;
  std::vector<WatchResponse> behind_;  // responses of the watch with the held answer
  std::set<std::int64_t> swapped_;     // ids, without an event so far
};

const BehaviourRegistration kIdsOutOfOrder(
    {.name = "ids-out-of-order",
     .explain = "Answers two creates that wait at the same time in the opposite order, as "
                "etcd's grpc-proxy may.",
     .guarantees = {}},
    EachStream<SwapsAnswers>);

}  // namespace
}  // namespace watchproof::fakes
