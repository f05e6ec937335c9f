// SPDX-License-Identifier: Apache-2.0
// Prints scripts as exploration of a real server draws them, one a line: a list of steps as plans
// have them. Nothing is carried out, so that nothing is learnt from one for the next.
//
//   drawn_scripts 100000 7
#include <cstdio>
#include <cstdlib>
#include <iterator>

#include "harness/explore/live/focus.h"
#include "harness/explore/live/spread.h"
#include "harness/scenario/steps/explored.h"
#include "harness/script/grammar.h"

namespace watchproof::explore {
namespace {

constexpr double kOfClusters = 0.15;
constexpr double kQuiet = 0.05;
constexpr int kMembers = 3;
constexpr double kCompactions[] = {1, 0.2, 0.05};  // the shares of them that batches carry out
constexpr std::int64_t kShorterThanLeases = 200;   // ms

// What exploration leaves out where it carries a script out.
void LeaveOut(Script& script, Focus focus, Prng& prng) {
  const bool restarts = focus == Focus::kRestarts;
  const double compactions = restarts ? 1 : kCompactions[prng.Below(std::size(kCompactions))];
  std::erase_if(script.steps, [&](const Step& step) {
    if (std::holds_alternative<Crash>(step)) return !restarts;
    if (std::holds_alternative<Compact>(step)) return !prng.Chance(compactions);
    const auto* const advance = std::get_if<Advance>(&step);
    if (advance == nullptr || focus == Focus::kTime) return false;
    return !restarts || advance->ms > kShorterThanLeases;
  });
}

Script DrawOne(Prng& prng) {
  const Focus focus = prng.Chance(kQuiet) ? Focus::kQuiet : DrawFocus(prng);
  Script script = Draw(prng);
  Lighten(script);
  Enlarge(script, focus, prng);
  const bool restarts = focus == Focus::kRestarts || focus == Focus::kUsers;
  if (!restarts && prng.Chance(kOfClusters)) SpreadOver(script, kMembers, prng.Chance(0.5), prng);
  LeaveOut(script, focus, prng);
  return script;
}

}  // namespace
}  // namespace watchproof::explore

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: drawn_scripts COUNT SEED\n", stderr);
    return 2;
  }
  watchproof::Prng prng(std::strtoull(argv[2], nullptr, 0));
  for (long i = std::strtol(argv[1], nullptr, 10); i > 0; --i) {
    const auto plan = watchproof::PlanOf(watchproof::explore::DrawOne(prng));
    fmt::print("[{}]\n", fmt::join(watchproof::StepLines(plan), ","));
  }
  return 0;
}
