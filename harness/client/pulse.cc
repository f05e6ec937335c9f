// SPDX-License-Identifier: Apache-2.0
#include "harness/client/pulse.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "harness/client/call_client.h"

namespace watchproof {
namespace {

constexpr Duration kLimit = 2s;  // of one question

}  // namespace

bool IsNoAnswer(StatusCode code) {
  return code == StatusCode::kUnavailable || code == StatusCode::kDeadlineExceeded ||
         code == StatusCode::kCancelled;
}

Pulse::Pulse(Question question, Duration every)
    : question_(std::move(question)), every_(every), asking_([this] { Ask(); }) {}

Pulse::~Pulse() {
  {
    MutexLock lock(mu_);
    over_ = true;
    changed_.NotifyAll();
  }
  asking_.join();
}

void Pulse::Ask() {
  while (true) {
    const TimePoint asked = Clock::now();
    if (IsNoAnswer(question_(kLimit).code())) {
      silence_ += std::min<Duration>(Clock::now() - asked, kLimit).count() + every_.count();
    } else {
      silence_ = 0;
      ++answers_;
    }
    MutexLock lock(mu_);
    const TimePoint next = Clock::now() + every_;
    while (!over_ && changed_.WaitUntil(mu_, next)) continue;
    if (over_) return;
  }
}

Pulse::Question StatusQuestion(const std::string& endpoint, const std::string& token) {
  const auto connection = MakeChannel(endpoint);
  return [connection, token](Duration limit) {
    CallClient calls(connection, {.each = limit});
    calls.SetToken(token);
    const auto answer = calls.Ask("/etcdserverpb.Maintenance/Status", "");
    return answer.has_value() ? Status() : answer.error();
  };
}

}  // namespace watchproof
