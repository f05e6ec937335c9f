// SPDX-License-Identifier: Apache-2.0
// The proxy tampers with the messages between the target and its clients: it flips bits or removes
// a response. The target is correct, and the checkers must report a finding nevertheless. Otherwise
// they would not detect a server that does the same.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

constexpr ValueSize kLarge{16'000, 16'000};

CaseInfo InfoOf(const std::string& name, std::string explain, int line) {
  return {.name = "Noticed." + name,
          .requirement = "an oracle that cannot fail proves nothing (watchproof, self-tests)",
          .explain = std::move(explain),
          .needs = {Capability::kProxy, Capability::kOurs},
          .guarantees = {},
          .expect = Verdict::kFail,
          .file = __FILE__,
          .line = line};
}

void RunTampered(Scenario& scenario, const std::string& fault,
                 const std::map<std::string, std::string>& parameters) {
  const std::string key = scenario.Key("tampered");
  scenario.Put(key);
  scenario.Open({.group = "first", .range = OneKey(key)});
  scenario.Inject(fault, parameters);
  for (int i = 0; i < 8; ++i) scenario.Put(key, kLarge);
  scenario.AwaitEffectAndHeal(fault);
  scenario.Put(key);
}

[[maybe_unused]] const bool kAdded =
    // Nearly all bytes belong to values, so that a flipped bit hardly hits anything else.
    AddCase(InfoOf("FlippedBit", "One bit of a value is flipped.", __LINE__),
            [](Scenario& scenario) {
              RunTampered(scenario, "corrupt", {{"every", "24KiB"}});
            }) &&
    AddCase(InfoOf("MissingResponse", "One response of a watch is removed.", __LINE__),
            [](Scenario& scenario) {
              RunTampered(scenario, "drop-response", {{"count", "3"}});
            });

}  // namespace
}  // namespace watchproof
