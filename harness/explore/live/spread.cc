// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/live/spread.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "harness/script/grammar.h"

namespace watchproof::explore {
namespace {

using How = Disturb::How;
using Steps = std::vector<Step>;

class Spread {
 public:
  Spread(int members, Prng& prng) : members_(members), prng_(prng) {}

  int AnyMember() { return static_cast<int>(prng_.Between(1, members_)); }

  // How often a step is one of another member than the step before.
  static double Hops(const Step& step) {
    if (std::holds_alternative<Resume>(step)) return 0.6;
    if (std::holds_alternative<Get>(step)) return 0.5;
    if (std::holds_alternative<Create>(step)) return 0.3;
    if (std::holds_alternative<Put>(step) || std::holds_alternative<Txn>(step)) return 0.2;
    return 0.05;
  }

  Steps Over(Steps steps) {
    Steps spread{AtMember{AnyMember()}};
    for (Step& step : steps) {
      if (prng_.Chance(Hops(step))) spread.push_back(AtMember{AnyMember()});
      auto* const get = std::get_if<Get>(&step);
      if (get != nullptr) get->serializable = prng_.Chance(0.4);
      spread.push_back(std::move(step));
    }
    return spread;
  }

  // The rest of the script goes on around it.
  void Disturbance(Steps& steps) {
    const auto at = [&steps](std::uint64_t place) {
      return steps.begin() + static_cast<std::ptrdiff_t>(place);
    };
    const std::uint64_t end = prng_.Below(steps.size() + 1);
    const std::uint64_t begin = prng_.Below(end + 1);
    if (prng_.Chance(0.3)) {
      steps.insert(at(begin), Disturb{How::kLead, AnyMember()});
      return;
    }
    const int member = static_cast<int>(prng_.Between(2, members_));
    steps.insert(at(end), Calm{});
    Steps begun{Disturb{prng_.Chance(0.7) ? How::kIsolate : How::kPause, member}};
    // What it misses, and a watch on what it has not got yet.
    begun.push_back(Put{.key = "a/1", .times = prng_.Between(1, 8)});
    for (std::int64_t i = prng_.Between(0, 3); i > 0; --i) begun.push_back(DrawWrite(prng_));
    if (prng_.Chance(0.5)) begun.push_back(Compact{{Place::From::kHead, -prng_.Between(0, 2)}});
    if (prng_.Chance(0.4)) begun.push_back(Delete{.key = "a/", .end = "a0"});
    if (prng_.Chance(0.2)) begun.push_back(Disturb{How::kLead, Other(member)});
    if (prng_.Chance(0.4)) {
      begun.push_back(AtMember{member});
      const std::int64_t plus = prng_.Between(-3, 1);
      begun.push_back(Create{.end = "*", .start = {Place::From::kHead, plus}});
      begun.push_back(AtMember{AnyMember()});
    }
    steps.insert(at(begin), begun.begin(), begun.end());
  }

 private:
  int Other(int member) {
    const int drawn = static_cast<int>(prng_.Between(1, members_ - 1));
    return drawn < member ? drawn : drawn + 1;
  }

  const int members_;
  Prng& prng_;
};

}  // namespace

void SpreadOver(Script& script, int members, bool disturbs, Prng& prng) {
  Spread spread(members, prng);
  script.steps = spread.Over(std::move(script.steps));
  if (disturbs) spread.Disturbance(script.steps);
}

}  // namespace watchproof::explore
