// SPDX-License-Identifier: Apache-2.0
#include "harness/client/pulse.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "harness/client/call_client.h"

namespace watchproof {
namespace {

constexpr Duration kLimit = 2s;  // of one question
constexpr Duration kSlice = 250ms;

}  // namespace

Pulse::Pulse(Question question, Question hushed, Duration every)
    : question_(std::move(question)),
      hushed_(std::move(hushed)),
      every_(every),
      asking_([this] { Ask(); }) {}

Pulse::~Pulse() {
  {
    MutexLock lock(mu_);
    over_ = true;
    changed_.NotifyAll();
  }
  asking_.join();
}

Pulse::Hush::Hush(Pulse& pulse) : pulse_(pulse) {
  MutexLock lock(pulse_.mu_);
  ++pulse_.hushes_;
  while (pulse_.asks_) pulse_.changed_.Wait(pulse_.mu_);
  pulse_.slowest_ = 0;
}

Pulse::Hush::~Hush() {
  MutexLock lock(pulse_.mu_);
  --pulse_.hushes_;
}

void Pulse::Ask() {
  MutexLock lock(mu_);
  while (true) {
    asks_ = hushes_ == 0;
    const Question& question = asks_ ? question_ : hushed_;
    mu_.unlock();
    const TimePoint asked = Clock::now();
    const bool answered = !IsNoAnswer(question(kLimit).code());
    const Duration took = Clock::now() - asked;
    if (!answered) {
      silence_ += std::min<Duration>(took, kLimit).count() + every_.count();
    } else {
      silence_ = 0;
      slowest_ = std::max<std::int64_t>(slowest_, took.count());
      ++answers_;
    }
    mu_.lock();
    asks_ = false;
    changed_.NotifyAll();
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

Pulse::Question ConnectionQuestion(const std::string& endpoint) {
  return [endpoint](Duration limit) {
    const auto connection = Connect(endpoint, Within(limit));
    return connection.has_value() ? Status() : connection.error();
  };
}

Arrival AwaitByItself(const Pulse& pulse, const ByItself& what, Duration limit) {
  const auto enough = static_cast<std::uint64_t>(limit / Pulse::kEvery);
  while (true) {
    const std::uint64_t before = what.came();
    const std::uint64_t proven = pulse.answers() + enough;
    bool arrived = what.wait(limit);
    const auto unproven = [&] { return pulse.answers() < proven && !pulse.silent(); };
    while (!arrived && unproven() && !what.given_up()) arrived = what.wait(kSlice);
    if (arrived) return {.arrived = true, .connected_within = {}};
    if (what.given_up() || pulse.answers() < proven) return {};
    if (what.came() == before) return {.connected_within = pulse.slowest()};
  }
}

}  // namespace watchproof
