// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/live/focus.h"

#include <algorithm>
#include <string>
#include <utility>

#include "harness/script/grammar.h"

namespace watchproof::explore {
namespace {

// The most that a plain script has.
constexpr std::int64_t kFewTimes = 8;
constexpr std::int64_t kFewBytes = 300;
constexpr std::size_t kFewParts = 16;
// What etcd's compaction erases at once (its default), and how many keys other scripts may leave.
constexpr std::int64_t kPerBatch = 1000;
constexpr std::int64_t kPerTxn = 100;
constexpr std::int64_t kKeysThatStay = 6;
constexpr std::int64_t kPacedPuts = 1000;
constexpr std::int64_t kPastCommit = 150;  // ms: longer than etcd leaves between two commits

class Enlargement {
 public:
  Enlargement(Script& script, Prng& prng) : steps_(script.steps), prng_(prng) {}

  void Enlarge(Focus focus) {
    // A server that restarts takes few scripts, and in a quiet one a write alone is the point.
    const bool all = focus == Focus::kRestarts || focus == Focus::kQuiet;
    if (!all && !prng_.Chance(0.5)) return;
    switch (focus) {
      case Focus::kNone:
        return;
      case Focus::kWatches:
        if (prng_.Chance(0.2)) Writes();
        return Watches();
      case Focus::kWrites:
        return prng_.Chance(0.8) ? Writes() : Large();
      case Focus::kRestarts:
        if (prng_.Chance(0.3)) return Restart();
        for (std::int64_t i = prng_.Between(1, 3); i > 0; --i) Erasing();
        return;
      case Focus::kTime:
        return Lease();
      case Focus::kUsers:
        return Users();
      case Focus::kQuiet:
        return Quiet();
    }
  }

 private:
  using Steps = std::vector<Step>;

  Steps::iterator Somewhere() {
    return steps_.begin() + static_cast<std::ptrdiff_t>(prng_.Below(steps_.size() + 1));
  }
  std::string Key() { return prng_.Pick(std::vector<std::string>{"a/1", "a/2", "a0", "b"}); }
  int Stream() { return static_cast<int>(prng_.Between(1, kMostStreams)); }

  // What comes right before it has been committed by then, or has not; the same things come after
  // it, so that what it left is met.
  void Restart() {
    const auto at = Somewhere() - steps_.begin();
    Steps added;
    for (std::int64_t i = prng_.Between(0, 2); i > 0; --i) added.push_back(Maintenance());
    if (prng_.Chance(0.1)) added.push_back(LargePut());
    if (prng_.Chance(0.5)) added.push_back(Advance{kPastCommit});
    if (prng_.Chance(0.5)) added.push_back(DrawWrite(prng_));
    if (prng_.Chance(0.5)) added.push_back(Compaction());
    added.push_back(Crash{});
    for (std::int64_t i = prng_.Between(0, 2); i > 0; --i) added.push_back(Maintenance());
    steps_.insert(steps_.begin() + at, added.begin(), added.end());
  }
  Step Maintenance() {
    const std::uint64_t drawn = prng_.Below(4);
    if (drawn < 1) return Defragment{};
    if (drawn < 2) return Hash{{Place::From::kHead, -prng_.Between(0, 3)}};
    if (drawn < 3) return Compaction();
    return KeepAlive{prng_.Between(1, 3), true};
  }
  Compact Compaction() { return {{Place::From::kHead, -prng_.Between(0, 2)}, prng_.Chance(0.5)}; }
  // About as large as a page of a store's file or a request may be.
  Put LargePut() {
    const std::int64_t about = prng_.Pick(std::vector<std::int64_t>{64 << 10, kLargestRequest});
    return {.key = Key(),
            .bytes = about + prng_.Pick(std::vector<std::int64_t>{-600, -100, -1, 0, 1})};
  }

  // About as many revisions as one batch of a compaction takes, all of them below the floor, and a
  // crash while they are erased.
  void Erasing() {
    Steps added;
    const std::int64_t fewer = prng_.Between(0, kKeysThatStay);
    for (std::int64_t i = kPerBatch / kPerTxn; i > 1; --i) {
      Txn txn;
      for (std::int64_t key = i == 2 ? fewer : 0; key < kPerTxn; ++key) {
        txn.then.push_back({.key = fmt::format("a/many/{}", key)});
      }
      added.push_back(std::move(txn));
    }
    added.push_back(Delete{.key = "a/", .end = "a0"});
    added.push_back(Compact{});
    added.push_back(Turn{Loop::kVictims});
    added.push_back(Crash{});
    steps_.insert(Somewhere(), added.begin(), added.end());
  }

  void Lease() {
    auto at = steps_.insert(Somewhere(), Grant{.lease = 1, .seconds = prng_.Between(1, 3)});
    for (std::int64_t i = prng_.Between(1, 3); i > 0; --i) {
      at = steps_.insert(at + 1, Put{.key = Key(), .lease = 1});
    }
  }

  // Whatever the script has opened by then is there, and one watch in any case.
  void Quiet() {
    for (Step& step : steps_) {
      auto* const put = std::get_if<Put>(&step);
      if (put != nullptr) put->paced = prng_.Chance(0.5);
    }
    const auto watch = steps_.insert(Somewhere(), Create{.stream = Stream(), .end = "*"});
    steps_.insert(watch + 1, Put{.key = Key(), .times = kPacedPuts, .paced = true});
  }

  void Watches() {
    for (Step& step : steps_) {
      auto* const create = std::get_if<Create>(&step);
      if (create == nullptr || !prng_.Chance(0.5)) continue;
      create->id = 0;
      create->times = prng_.Chance(0.5) ? About({128, 512})
                                        : prng_.Pick(std::vector<std::int64_t>{20, 140, 520, 600});
    }
  }

  // One below, at, or one above one of these.
  std::int64_t About(const std::vector<std::int64_t>& constants) {
    return prng_.Pick(constants) + prng_.Between(-1, 1);
  }

  void Writes() {
    const int stream = Stream();
    const std::int64_t times = prng_.Chance(0.5) ? About({128, 512, 1000, 1024})
                                                 : prng_.Pick(std::vector<std::int64_t>{300, 1500});
    const auto put = steps_.insert(Somewhere(), Put{.key = Key(), .bytes = 400, .times = times});
    const auto stalled = prng_.Below(static_cast<std::uint64_t>(put - steps_.begin()) + 1);
    if (prng_.Chance(0.5)) steps_.insert(put + 1, Compact{});
    steps_.insert(steps_.begin() + static_cast<std::ptrdiff_t>(stalled), Receive{stream, 0});
  }

  // More than one response may hold.
  void Large() {
    if (prng_.Chance(0.3)) {
      steps_.insert(Somewhere(), LargePut());
      return;
    }
    const auto put = steps_.insert(
        Somewhere(), Put{.key = Key(), .bytes = 300'000, .times = prng_.Between(6, 9)});
    steps_.insert(put + 1, Create{.key = "*",
                                  .end = "*",
                                  .start = {Place::From::kHead, -prng_.Between(3, 7)},
                                  .options = {.fragment = true}});
  }

  // A stream of a user with few rights, and a watch of perhaps more than those.
  void Users() {
    const int stream = Stream();
    const std::string key = Key();
    const auto restricted = steps_.insert(
        Somewhere(), Restrict{stream, key, prng_.Chance(0.5) ? std::string() : Key()});
    steps_.insert(restricted + 1,
                  Create{.stream = stream,
                         .key = key,
                         .end = prng_.Pick(std::vector<std::string>{"", "*", "a0"})});
  }

  Steps& steps_;
  Prng& prng_;
};

}  // namespace

Focus DrawFocus(Prng& prng) {
  if (prng.Chance(0.65)) return Focus::kNone;
  return prng.Pick(std::vector<Focus>{Focus::kWatches, Focus::kWrites, Focus::kRestarts,
                                      Focus::kTime, Focus::kUsers});
}

void Lighten(Script& script) {
  for (Step& step : script.steps) {
    auto* const txn = std::get_if<Txn>(&step);
    if (txn != nullptr && txn->then.size() > kFewParts &&
        txn->then.back().kind == TxnPart::Kind::kPut) {
      txn->then.resize(kFewParts);
    }
    if (auto* const create = std::get_if<Create>(&step)) {
      create->times = std::min(create->times, kFewTimes);
    } else if (auto* const put = std::get_if<Put>(&step)) {
      put->times = std::min(put->times, kFewTimes);
      put->paced = false;
      put->bytes = std::min(put->bytes, kFewBytes);
    }
  }
}

void Enlarge(Script& script, Focus focus, Prng& prng) { Enlargement(script, prng).Enlarge(focus); }

}  // namespace watchproof::explore
