// SPDX-License-Identifier: Apache-2.0
// Between the target and its clients somebody lies: bits are flipped, a response is taken out. The
// target did nothing wrong, and still the oracle must find something: who would not notice this
// would not notice a server that did it either.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

constexpr ValueSize kLarge{16'000, 16'000};

CaseInfo InfoOf(const std::string& name, std::string explain, int line) {
  return {.name = "Noticed." + name,
          .requirement = "an oracle that cannot fail proves nothing (watchproof, self-tests)",
          .explain = std::move(explain),
          .level = Level::kMust,
          .needs = {Capability::kProxy, Capability::kOurs},
          .guarantees = {},
          .expect = Verdict::kFail,
          .file = __FILE__,
          .line = line};
}

void Carry(Scenario& scenario, const std::string& fault,
           const std::map<std::string, std::string>& parameters) {
  const std::string key = scenario.Key("lied");
  scenario.Put(key);
  scenario.Watch({.group = "first", .range = OneKey(key)});
  scenario.AwaitCreated("first");
  scenario.Inject(fault, parameters);
  for (int i = 0; i < 8; ++i) scenario.Put(key, kLarge);
  scenario.AwaitEffect(fault);
  scenario.Heal(fault);
  scenario.Put(key);
}

[[maybe_unused]] const bool kAdded =
    // Nearly all that is sent is values, so that hardly anything else is hit.
    AddCase(InfoOf("FlippedBit", "A bit of a value is not what it was.", __LINE__),
            [](Scenario& scenario) {
              Carry(scenario, "corrupt", {{"every", "24KiB"}});
            }) &&
    AddCase(InfoOf("MissingResponse", "One response of a watch never arrives.", __LINE__),
            [](Scenario& scenario) {
              Carry(scenario, "drop-response", {{"count", "3"}});
            });

}  // namespace
}  // namespace watchproof
