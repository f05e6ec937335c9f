// SPDX-License-Identifier: Apache-2.0
// Behaviour crashes: see its explanation below.
#include <signal.h>
#include <atomic>

#include "ci/fakes/behaviour.h"

namespace watchproof::fakes {
namespace {

constexpr int kEvents = 30;

class Counts final : public WatchTamper {
 public:
  explicit Counts(std::atomic<int>& events) : events_(events) {}
  void Answered(WatchResponse& response, Wire& wire) override {
    events_ += response.events_size();
    if (events_ > kEvents) {
      wire.Tampered("crashed");
      raise(SIGSEGV);
    }
    wire.ToClient(response);
  }

 private:
  std::atomic<int>& events_;
};

class Crashes final : public Behaviour {
  std::unique_ptr<WatchTamper> NewStream() override { return std::make_unique<Counts>(events_); }
  std::atomic<int> events_{0};
};

const BehaviourRegistration kCrashes(
    {.name = "crashes",
     .explain = "Dies of a segmentation fault after thirty events.",
     .guarantees = {}},
    [] { return std::make_unique<Crashes>(); });

}  // namespace
}  // namespace watchproof::fakes
