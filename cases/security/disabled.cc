// SPDX-License-Identifier: Apache-2.0
// Authentication that is disabled, and enabled again.
#include "cases/support/watch_case.h"
#include "harness/scenario/steps/auth.h"
#include "harness/scenario/steps/stream.h"

namespace watchproof {
namespace {

// Within the right of the user and beyond it, and what needs the role root. Calls about no key are
// made while authentication is disabled: EveryCall is about them otherwise.
std::vector<Step> SomeCalls(Scenario& scenario, const WatchedRange& own, bool disabled) {
  const auto put = [&](const std::string& key) {
    return Step(PutStep{.key = key, .value = scenario.Value(), .previous = true});
  };
  const std::string foreign = scenario.Key("foreign");
  std::vector<Step> calls = {put(own.key + "b"),
                             put(foreign),
                             ReadStep{.key = own.key, .range_end = own.range_end},
                             ReadStep{.key = own.key, .range_end = kNoEnd},
                             TxnStep{.writes = {put(own.key + "c")}},
                             TxnStep{.writes = {put(foreign)}, .absent = foreign},
                             DeleteStep{.key = own.key + "b"},
                             DeleteStep{.key = foreign},
                             OperatorStep{"user list"}};
  for (const char* call : {"lease grant", "alarm", "hash kv"}) {
    if (disabled) calls.push_back(OperatorStep{call});
  }
  scenario.Shuffle(calls);
  return calls;
}

constexpr const char* kNoOnesToken = "abcdefghijklmnop.1";

// Without a token, and with one that was never given.
void CallAsAnyone(Scenario& scenario, const WatchedRange& own, bool disabled) {
  scenario.Add(CallsStep{.token = "none", .calls = SomeCalls(scenario, own, disabled)});
  scenario.Add(CallsStep{.token = kNoOnesToken, .calls = SomeCalls(scenario, own, disabled)});
}
void CallAsReader(Scenario& scenario, const WatchedRange& own, bool disabled) {
  scenario.Add(CallsStep{
      .user = "reader", .calls = SomeCalls(scenario, own, disabled), .kept = "from before"});
}

void WatchAs(Scenario& scenario, const std::vector<std::string>& tokens, const std::string& group,
             const WatchedRange& range) {
  for (const std::string& token : tokens) {
    scenario.Watch({.group = group,
                    .range = range,
                    .stream = fmt::format("{} {}", group, token),
                    .token = token});
  }
  scenario.AwaitCreated(group);
}

WATCH_CASE(Authorized, DisabledAndEnabledAgain,
           {.requirement = "AuthDisable disables authentication (etcd API, Auth): until it is "
                           "enabled again no call needs a user",
            .explain = "With authentication enabled, a user that may read and write one prefix "
                       "makes calls and watches. Then authentication is disabled. That must be "
                       "reported, and calls and watches of any key must be answered without a "
                       "token, and calls with a wrong one or that of the user. Once it is enabled "
                       "again the rights from before must hold: without a token all is refused, "
                       "and the user's calls beyond its prefix are.",
            .needs = {Capability::kUsers, Capability::kLeases},
            .guarantees = {"Authorized", "Answered", "Reliable"}}) {
  const WatchedRange own = Below(scenario.Key("m"));
  const WatchedRange every{kNoEnd, kNoEnd};
  const std::string key = own.key + "a";
  scenario.Put(key);
  AuthStep auth{{{.user = "reader",
                  .key = own.key,
                  .range_end = own.range_end,
                  .may = UserMay::kReadAndWrite}}};
  scenario.Add(auth);
  scenario.Open({.group = "own", .range = own, .user = "reader", .stream = "own"});
  scenario.Add(OperatorStep{"auth status"});
  CallAsAnyone(scenario, own, false);
  CallAsReader(scenario, own, false);
  scenario.PutSome(key, {1, 4});
  scenario.AwaitDelivered("own");
  scenario.Add(AuthenticationStep{false});
  scenario.Add(OperatorStep{"auth status"});
  WatchAs(scenario, {"none"}, "anyone", every);
  CallAsAnyone(scenario, own, true);
  CallAsReader(scenario, own, true);
  scenario.PutTogether({key, scenario.Key("foreign")});
  scenario.AwaitDelivered("own", "anyone");
  scenario.Require("anyone", RequireStep::Fact::kReceived);
  // What is open is not asked about its rights again, and its token is good for nothing then.
  scenario.Add(CloseStep{"own"});
  scenario.Add(CloseStep{"anyone none"});
  scenario.Add(AuthenticationStep{true});
  scenario.Add(OperatorStep{"auth status"});
  WatchAs(scenario, {"none", kNoOnesToken}, "refused", every);
  scenario.Require("refused", RequireStep::Fact::kRefused);
  CallAsAnyone(scenario, own, false);
  scenario.Add(CallsStep{.user = "reader", .calls = SomeCalls(scenario, own, false)});
  scenario.Open({.group = "again", .range = own, .user = "reader", .stream = "again"});
  scenario.PutSome(key, {1, 4});
  scenario.AwaitDelivered("again");
}

}  // namespace
}  // namespace watchproof
