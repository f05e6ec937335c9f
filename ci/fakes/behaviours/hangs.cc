// SPDX-License-Identifier: Apache-2.0
// Behaviour hangs: see its explanation below.
#include <atomic>

#include "ci/fakes/behaviour.h"

namespace watchproof::fakes {
namespace {

constexpr int kRequests = 60;

class Mute final : public WatchTamper {
 public:
  explicit Mute(std::atomic<int>& requests) : requests_(requests) {}
  void Asked(WatchRequest& request, Wire& wire) override {
    if (++requests_ > kRequests) return wire.Tampered("left a request without an answer");
    wire.ToStore(request);
  }
  void Answered(WatchResponse& response, Wire& wire) override {
    if (requests_ <= kRequests) return wire.ToClient(response);
    wire.Tampered("withheld a message");
  }

 private:
  std::atomic<int>& requests_;
};

class Hangs final : public Behaviour {
  std::unique_ptr<WatchTamper> NewStream() override { return std::make_unique<Mute>(requests_); }
  CallPlan Plan(const std::string& method) override {
    if (++requests_ <= kRequests) return {.method = method};
    return {.method = method, .fate = CallFate::kHang, .tampered = "never answered"};
  }
  std::atomic<int> requests_{0};
};

const BehaviourRegistration kHangs(
    {.name = "hangs",
     .explain = "Accepts everything, and answers nothing more after sixty requests.",
     .guarantees = {}},
    [] { return std::make_unique<Hangs>(); });

}  // namespace
}  // namespace watchproof::fakes
