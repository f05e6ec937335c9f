// SPDX-License-Identifier: Apache-2.0
// Prints scripts as exploration of a real server draws them, one a line: a list of steps as plans
// have them, after the settings of its server. Nothing is carried out, so that nothing is learnt
// from one for the next.
//
//   drawn_scripts 100000 7
#include <cstdio>
#include <cstdlib>
#include <iterator>

#include "harness/explore/live/focus.h"
#include "harness/explore/live/settings.h"
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
  const bool spread = !restarts && prng.Chance(kOfClusters);
  if (spread) SpreadOver(script, kMembers, prng.Chance(0.5), prng);
  script.server = DrawSettings(spread ? kMembers : 1, Prng(prng.Next()));
  LeaveOut(script, focus, prng);
  return script;
}

std::string SettingsLine(Server server) {
  std::vector<std::string> fields = {R"("op":"server")"};
  auto field = [&fields](std::string_view name, const auto& value) {
    fields.push_back(fmt::format(R"("{}":{})", name, value));
  };
  server.Fields(field);
  return fmt::format("{{{}}}", fmt::join(fields, ","));
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
    const watchproof::explore::Script script = watchproof::explore::DrawOne(prng);
    std::vector<std::string> lines = watchproof::StepLines(watchproof::PlanOf(script));
    lines.insert(lines.begin(), watchproof::explore::SettingsLine(script.server));
    fmt::print("[{}]\n", fmt::join(lines, ","));
  }
  return 0;
}
