// SPDX-License-Identifier: Apache-2.0
// Behaviour refuse-one-in-ten: see its explanation below.
#include <atomic>
#include <set>

#include "ci/fakes/behaviour.h"

namespace watchproof::fakes {
namespace {

constexpr int kOneIn = 10;

class RefusesSome final : public WatchTamper {
 public:
  explicit RefusesSome(std::atomic<int>& creates) : creates_(creates) {}
  void Answered(WatchResponse& response, Wire& wire) override {
    if (response.created() && !response.canceled() && ++creates_ % kOneIn == 0) {
      WatchRequest back;
      back.mutable_cancel_request()->set_watch_id(response.watch_id());
      wire.ToStore(back);
      hidden_.insert(response.watch_id());
      response.set_watch_id(-1);
      response.set_canceled(true);
      response.set_cancel_reason("too many requests");
      wire.Tampered("refused a create");
    } else if (response.created()) {
      hidden_.erase(response.watch_id());
    } else if (hidden_.contains(response.watch_id())) {
      return;
    }
    wire.ToClient(response);
  }

 private:
  std::atomic<int>& creates_;
  std::set<std::int64_t> hidden_;  // created in the store but refused to the client
};

class RefuseOneInTen final : public Behaviour {
  std::unique_ptr<WatchTamper> NewStream() override {
    return std::make_unique<RefusesSome>(creates_);
  }
  std::atomic<int> creates_{0};
};

const BehaviourRegistration kRefuseOneInTen(
    {.name = "refuse-one-in-ten",
     .explain = "Refuses every tenth create with the reason \"too many requests\".",
     .guarantees = {"Settled"}},
    [] { return std::make_unique<RefuseOneInTen>(); });

}  // namespace
}  // namespace watchproof::fakes
