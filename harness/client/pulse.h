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
// Threads: any; it asks on a thread of its own. Ownership: the destructor ends that thread, when a
// question on its way has been answered or is over.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>

#include "harness/base/deadline.h"
#include "harness/base/mutex.h"
#include "harness/base/status.h"

namespace watchproof {

// Not of the server: a time limit passed, a connection broke, or the call was given up. Any other
// code is an answer, and is judged as one.
bool IsNoAnswer(StatusCode code);

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
  explicit Pulse(Question question, Duration every = kEvery);
  ~Pulse();

  std::uint64_t answers() const { return answers_; }
  // Whether a call, or a wait, that began at so many answers was in vain.
  bool Proves(std::uint64_t before) const { return answers_ > before + kProof; }
  // How long there has been no answer. A machine that stands still uses up little of it.
  Duration silence() const { return Duration(silence_.load()); }
  bool silent() const { return silence() >= kSilent; }

 private:
  void Ask();

  const Question question_;
  const Duration every_;
  std::atomic<std::uint64_t> answers_ = 0;
  std::atomic<std::int64_t> silence_ = 0;
  Mutex mu_;
  CondVar changed_;
  bool over_ GUARDED_BY(mu_) = false;
  std::thread asking_;
};

// Its status, for the user of the token, on a connection of its own. It is not recorded.
Pulse::Question StatusQuestion(const std::string& endpoint, const std::string& token = {});

}  // namespace watchproof
