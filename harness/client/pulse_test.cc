// SPDX-License-Identifier: Apache-2.0
#include "harness/client/pulse.h"

#include <gtest/gtest.h>

#include <deque>

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
  void AwaitFirst() {
    MutexLock lock(mu_);
    while (times_ == 0) asked_.Wait(mu_);
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
  Pulse pulse(server.question(), Duration(0));
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

TEST(Pulse, AnAnswerEndsTheSilence) {
  Server server;
  Pulse pulse(server.question(), 1us);
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
