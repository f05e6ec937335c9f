// SPDX-License-Identifier: Apache-2.0
// What goes wrong so rarely that most attempts see nothing of it: for gates.
#include <atomic>
#include <random>

#include "ci/fakes/behaviour.h"

namespace watchproof::fakes {
namespace {

// From the machine and not from a seed: no plan of a run decides when it happens.
bool OneIn(unsigned n) {
  thread_local std::mt19937 numbers{std::random_device{}()};
  return std::uniform_int_distribution<unsigned>(1, n)(numbers) == 1;
}

class LosesOne final : public WatchTamper {
  static constexpr unsigned kOneIn = 100'000;

  void Answered(WatchResponse& response, Wire& wire) override {
    bool lost = false;
    for (int i = response.events_size() - 1; i >= 0; --i) {
      if (!OneIn(kOneIn)) continue;
      response.mutable_events()->DeleteSubrange(i, 1);
      wire.Tampered("left out an event");
      lost = true;
    }
    if (!lost || response.events_size() > 0) wire.ToClient(response);
  }
};

const BehaviourRegistration kLosesOne({.name = "loses-one-in-100000",
                                       .explain = "Leaves out one event in 100,000.",
                                       .guarantees = {"Reliable"},
                                       .rare = true},
                                      EachStream<LosesOne>);

// A fate of the process: most never do it, the others once.
struct OnceInFifty {
  std::atomic<bool> due = OneIn(50);
};

class DoublesOne final : public WatchTamper {
 public:
  explicit DoublesOne(OnceInFifty& once) : once_(once) {}

 private:
  void Answered(WatchResponse& response, Wire& wire) override {
    wire.ToClient(response);
    if (response.events_size() == 0 || response.fragment() || !once_.due.exchange(false)) return;
    wire.Tampered("sent a message twice");
    wire.ToClient(response);
  }

  OnceInFifty& once_;
};

const BehaviourRegistration kDoublesOne(
    {.name = "doubles-once-in-50-servers",
     .explain = "Sends the first message of events twice, in one server in fifty.",
     .guarantees = {"Unique"},
     .rare = true},
    EachStreamWith<DoublesOne, OnceInFifty>);

}  // namespace
}  // namespace watchproof::fakes
