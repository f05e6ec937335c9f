// SPDX-License-Identifier: Apache-2.0
#include "harness/client/pulse.h"

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <optional>
#include <thread>

namespace watchproof {
namespace {

TEST(Pulse, TimeLimitsAndBrokenConnectionsAreNoAnswer) {
  using enum StatusCode;
  for (const StatusCode code : {kUnavailable, kDeadlineExceeded, kCancelled}) {
    EXPECT_TRUE(IsNoAnswer(code)) << Name(code);
  }
  for (const StatusCode code : {kOk, kUnknown, kInvalidArgument, kNotFound, kAlreadyExists,
                                kPermissionDenied, kResourceExhausted, kFailedPrecondition,
                                kAborted, kOutOfRange, kUnimplemented, kInternal, kDataLoss}) {
    EXPECT_FALSE(IsNoAnswer(code)) << Name(code);
  }
}

// A server that gives the answers it was given, question by question, and then waits for more.
class Server {
 public:
  Pulse::Question question() {
    return [this](Duration) -> Status {
      MutexLock lock(mu_);
      asked_.NotifyAll();
      ++times_;
      while (answers_.empty() && !over_) more_.Wait(mu_);
      if (answers_.empty()) return {};
      const StatusCode code = answers_.front();
      answers_.pop_front();
      return code == StatusCode::kOk ? Status() : Status(code, "as given");
    };
  }
  // Returns when all of them have been given.
  void Answer(int times, StatusCode code) {
    MutexLock lock(mu_);
    const int wanted = times_ + times;
    answers_.insert(answers_.end(), static_cast<std::size_t>(times), code);
    more_.NotifyAll();
    while (times_ < wanted || !answers_.empty()) asked_.Wait(mu_);
  }
  // Whatever is asked is answered until then.
  void GiveUntil(const std::function<bool()>& done) {
    while (!done()) {
      MutexLock lock(mu_);
      if (answers_.empty()) answers_.push_back(StatusCode::kOk);
      more_.NotifyAll();
    }
    MutexLock lock(mu_);
    answers_.clear();
  }
  int times() {
    MutexLock lock(mu_);
    return times_;
  }
  void AwaitFirst() { AwaitMore(0); }
  void AwaitMore(int than) {
    MutexLock lock(mu_);
    while (times_ <= than) asked_.Wait(mu_);
  }
  void End() {
    MutexLock lock(mu_);
    over_ = true;
    more_.NotifyAll();
  }

 private:
  Mutex mu_;
  CondVar more_;
  CondVar asked_;
  int times_ = 0;
  std::deque<StatusCode> answers_;
  bool over_ = false;
};

TEST(Pulse, SilenceIsProvenByAnswersToOtherQuestions) {
  Server server;
  Pulse pulse(server.question(), {}, Duration(0));
  server.AwaitFirst();
  const std::uint64_t before = pulse.answers();
  server.Answer(Pulse::kProof, StatusCode::kOk);
  EXPECT_FALSE(pulse.Proves(before));
  server.Answer(100, StatusCode::kDeadlineExceeded);
  EXPECT_FALSE(pulse.Proves(before)) << "a paused server has proven nothing";
  // A refusal is an answer, too.
  server.Answer(1, StatusCode::kUnimplemented);
  EXPECT_TRUE(pulse.Proves(before));
  server.End();
}

TEST(Pulse, DuringAHushTheOtherQuestionIsAsked) {
  Server server;
  Server other;
  Pulse pulse(server.question(), other.question(), Duration(0));
  server.AwaitFirst();
  std::optional<Pulse::Hush> hush;
  std::thread hushes([&] { hush.emplace(pulse); });
  server.GiveUntil([&] { return other.times() > 0; });
  hushes.join();
  const int asked = server.times();
  other.Answer(10, StatusCode::kOk);
  EXPECT_EQ(server.times(), asked);
  EXPECT_GE(pulse.answers(), 10U);
  hush.reset();
  other.End();
  server.AwaitMore(asked);
  server.End();
}

// What is waited for comes, or does not, wait by wait.
class Waits {
 public:
  explicit Waits(Server& server) : server_(server), pulse_(server.question(), {}, Duration(0)) {}
  ~Waits() { server_.End(); }
  struct Wait {
    int answers = 0;
    bool paused = false;  // questions that have no answer, as many
    std::uint64_t more = 0;
    bool arrives = false;
  };
  Arrival Await(std::deque<Wait> waits) {
    const ByItself what{
        .wait =
            [&](Duration) {
              if (waits.empty()) return false;
              const Wait now = waits.front();
              waits.pop_front();
              server_.Answer(now.answers, now.paused ? StatusCode::kUnavailable : StatusCode::kOk);
              came_ += now.more;
              return now.arrives;
            },
        .came = [this] { return came_; },
        .given_up = [&] { return waits.empty(); }};
    return AwaitByItself(pulse_, what, 3s);
  }

 private:
  Server& server_;
  Pulse pulse_;
  std::uint64_t came_ = 0;
};

TEST(AwaitByItself, ProvesSilenceByConnections) {
  Server server;
  EXPECT_TRUE(Waits(server).Await({{.answers = 40}, {}}).connected_within);
}
TEST(AwaitByItself, APausedServerIsWaitedFor) {
  Server server;
  const Arrival arrival =
      Waits(server).Await({{.answers = 40, .paused = true}, {.answers = 10}, {.arrives = true}});
  EXPECT_TRUE(arrival.arrived);
}
TEST(AwaitByItself, WhatStillComesIsLate) {
  Server server;
  EXPECT_TRUE(Waits(server).Await({{.answers = 40, .more = 1}, {.arrives = true}}).arrived);
}
TEST(AwaitByItself, NothingIsProvenWhenItIsGivenUp) {
  Server server;
  const Arrival arrival = Waits(server).Await({{.answers = 10}});
  EXPECT_FALSE(arrival.arrived || arrival.connected_within);
}

TEST(Pulse, AnAnswerEndsTheSilence) {
  Server server;
  Pulse pulse(server.question(), {}, 1us);
  server.AwaitFirst();
  server.Answer(10, StatusCode::kUnavailable);
  EXPECT_GT(pulse.silence(), Duration(0));
  EXPECT_FALSE(pulse.silent()) << "it has not lasted a minute";
  server.Answer(1, StatusCode::kOk);
  EXPECT_EQ(pulse.silence(), Duration(0));
  server.End();
}

}  // namespace
}  // namespace watchproof
