// SPDX-License-Identifier: Apache-2.0
// Behaviour ids-out-of-order: see its explanation below.
#include <optional>
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
    if (!response.created()) {
      const bool early = held_ && held_->watch_id() == response.watch_id();
      if (early) {
        behind_.push_back(response);
      } else {
        wire.ToClient(response);
      }
      return;
    }
    const WatchCreateRequest create = creates_.Answered(response);
    if (held_) {
      // With equal creates the order makes no difference.
      if (create.SerializeAsString() != held_create_.SerializeAsString()) {
        wire.Tampered("answered two creates in the wrong order");
      }
      wire.ToClient(response);
      wire.ToClient(*held_);
      for (const WatchResponse& one : behind_) wire.ToClient(one);
      held_.reset();
      behind_.clear();
    } else if (creates_.waiting() > 0) {
      held_ = response;
      held_create_ = create;
    } else {
      wire.ToClient(response);
    }
  }

  Creates creates_;
  std::optional<WatchResponse> held_;
  WatchCreateRequest held_create_;
  std::vector<WatchResponse> behind_;  // responses of the watch with the held answer
};

const BehaviourRegistration kIdsOutOfOrder(
    {.name = "ids-out-of-order",
     .explain = "Answers two creates that wait at the same time in the opposite order, as "
                "etcd's grpc-proxy may.",
     .guarantees = {}},
    EachStream<SwapsAnswers>);

}  // namespace
}  // namespace watchproof::fakes
