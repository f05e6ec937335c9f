// SPDX-License-Identifier: Apache-2.0
// Behaviour ids-out-of-order: see its explanation below.
#include <optional>
#include <vector>

#include "ci/fakes/behaviour.h"
#include "ci/fakes/creates.h"
#include "ci/fakes/floor.h"

namespace watchproof::fakes {
namespace {

class SwapsAnswers final : public WatchTamper {
 public:
  explicit SwapsAnswers(const Floor& floor) : floor_(floor) {}

 private:
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
      if (Differ(create, held_create_)) {
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

  // The order makes no difference with equal creates, or where both end with ErrCompacted.
  bool Differ(const WatchCreateRequest& one, const WatchCreateRequest& other) const {
    const auto below = [this](const WatchCreateRequest& create) {
      return create.start_revision() > 0 && create.start_revision() < floor_.get();
    };
    return one.SerializeAsString() != other.SerializeAsString() && !(below(one) && below(other));
  }

  const Floor& floor_;
  Creates creates_;
  std::optional<WatchResponse> held_;
  WatchCreateRequest held_create_;
  std::vector<WatchResponse> behind_;  // responses of the watch with the held answer
};

class IdsOutOfOrder final : public Behaviour {
  std::unique_ptr<WatchTamper> NewStream() override {
    return std::make_unique<SwapsAnswers>(floor_);
  }
  void Answered(const std::string& method, const std::string& request,
                const std::string&) override {
    floor_.Learn(method, request);
  }
  Floor floor_;
};

const BehaviourRegistration kIdsOutOfOrder(
    {.name = "ids-out-of-order",
     .explain = "Answers two creates that wait at the same time in the opposite order, as "
                "etcd's grpc-proxy may.",
     .guarantees = {}},
    [] { return std::make_unique<IdsOutOfOrder>(); });

}  // namespace
}  // namespace watchproof::fakes
