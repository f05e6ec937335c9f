// SPDX-License-Identifier: Apache-2.0
// What may be concluded from silence, for cases and for exploration: a call without an answer, or a
// message that does not come, says nothing of a server that answers nothing else either. It may be
// paused, or short of processor time. Silence is a finding where the server answered other
// questions in the meantime, so many that what is missing had its time; and a server that answers
// no question at all is itself silent.
//
//   Pulse pulse(StatusQuestion(endpoint, token));
//   const std::uint64_t before = pulse.answers();
//   const auto answer = calls.Call(...);
//   if (!answer && IsNoAnswer(answer.error().code()) && !pulse.Proves(before)) ...nothing known...
//
// A question may wake what was left asleep. While something must arrive by itself, a Hush lets the
// pulse ask for connections only, on which nothing is asked; AwaitByItself waits and proves.
//
// Threads: any; it asks on a thread of its own. Ownership: the destructor ends that thread, when a
// question on its way has been answered or is over.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "harness/base/deadline.h"
#include "harness/base/mutex.h"
#include "harness/base/status.h"

namespace watchproof {

class Pulse {
 public:
  // How far apart two questions are at least, each asked once the one before is over.
  static constexpr Duration kEvery = 100ms;
  // What was waited for while the server answered so many does not come.
  static constexpr std::uint64_t kProof = 50;
  // A server that answered none for so long is silent.
  static constexpr Duration kSilent = 60s;

  // Asks the server something that changes nothing, within the limit.
  using Question = std::function<Status(Duration limit)>;
  Pulse(Question question, Question hushed, Duration every = kEvery);
  ~Pulse();

  // While one of these exists the other question is asked, and the first one is not on its way.
  class Hush {
   public:
    explicit Hush(Pulse& pulse);
    ~Hush();
    Hush(const Hush&) = delete;
    Hush& operator=(const Hush&) = delete;

   private:
    Pulse& pulse_;
  };

  std::uint64_t answers() const { return answers_; }
  // The longest that the server took for one of them, since the latest hush began.
  Duration slowest() const { return Duration(slowest_.load()); }
  // Whether a call, or a wait, that began at so many answers was in vain.
  bool Proves(std::uint64_t before) const { return answers_ > before + kProof; }
  // How long there has been no answer. A machine that stands still uses up little of it.
  Duration silence() const { return Duration(silence_.load()); }
  bool silent() const { return silence() >= kSilent; }

 private:
  void Ask();

  const Question question_;
  const Question hushed_;
  const Duration every_;
  std::atomic<std::uint64_t> answers_ = 0;
  std::atomic<std::int64_t> silence_ = 0;
  std::atomic<std::int64_t> slowest_ = 0;
  Mutex mu_;
  CondVar changed_;
  bool over_ GUARDED_BY(mu_) = false;
  bool asks_ GUARDED_BY(mu_) = false;
  int hushes_ GUARDED_BY(mu_) = 0;
  std::thread asking_;
};

// Its status, for the user of the token, on a connection of its own. It is not recorded.
Pulse::Question StatusQuestion(const std::string& endpoint, const std::string& token = {});
// A connection, on which nothing is asked: no call reaches the server.
Pulse::Question ConnectionQuestion(const std::string& endpoint);

// What must arrive although nothing is asked of the server.
struct ByItself {
  // Waits no longer than the limit; true: all of it came.
  std::function<bool(Duration limit)> wait;
  // How much has come. As long as it grows, the server is slow.
  std::function<std::uint64_t()> came;
  std::function<bool()> given_up;
};
struct Arrival {
  bool arrived = false;
  // The longest that the server took for a connection while nothing came for the limit, in which it
  // took as many as prove that it was not paused. Empty: nothing is proven.
  std::optional<Duration> connected_within;
};
// Under a hush of the pulse.
Arrival AwaitByItself(const Pulse& pulse, const ByItself& what, Duration limit);

}  // namespace watchproof
