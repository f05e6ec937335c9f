// SPDX-License-Identifier: Apache-2.0
// What a password is good for.
#include "cases/support/watch_case.h"
#include "harness/scenario/steps/auth.h"

namespace watchproof {
namespace {

// A user that is added while authentication is enabled, by a call that is recorded.
struct LateUser {
  Scenario& scenario;
  std::string name = "added";

  void Change(const std::string& call, const std::string& password) {
    scenario.Add(OperatorStep{.call = call, .about = name, .password = password});
  }
  // Each in a drawn order.
  void LogIn(std::vector<std::string> passwords) {
    scenario.Shuffle(passwords);
    for (const std::string& one : passwords) {
      scenario.Add(OperatorStep{.call = "authenticate", .about = name, .password = one});
    }
  }
};

WATCH_CASE(Authorized, ChangedPassword,
           {.requirement = "the name and password of a user are answered with a token, any others "
                           "with a refusal (etcd, authentication)",
            .explain = "A user is added with a password, which is changed twice; then the user is "
                       "deleted, and added with the first one. Each time a token is asked for with "
                       "each of the passwords, and with others that are like them. Only the latest "
                       "one must be answered. What the user may do must be the same with its new "
                       "password, and no other user's password must have changed.",
            .needs = {Capability::kUsers},
            .guarantees = {"Answered", "Authorized", "Reliable"}}) {
  const WatchedRange own = Below(scenario.Key("m"));
  const std::string key = own.key + "a";
  scenario.Add(AuthStep{{{.user = "reader", .key = own.key, .range_end = own.range_end}}});
  scenario.Open({.group = "own", .range = own, .user = "reader", .stream = "own"});
  LateUser user{scenario};
  const std::string last = AdminClient::PasswordOf(user.name);  // with which it calls
  const std::vector<std::string> every = {"first", "second", "First", "firs", "first ", last};
  user.Change("user add", "first");
  scenario.Add(PermitStep{.user = user.name, .key = own.key, .range_end = own.range_end});
  user.LogIn(every);
  user.Change("user change password", "second");
  user.LogIn(every);
  user.Change("user change password", last);
  user.LogIn(every);
  scenario.Add(CallsStep{.user = user.name,
                         .calls = {PutStep{key, scenario.Value()},
                                   ReadStep{.key = own.key, .range_end = own.range_end},
                                   PutStep{"z", scenario.Value()}}});
  user.Change("user delete", "");
  user.LogIn({"first", last});
  user.Change("user add", "first");
  user.LogIn(every);
  scenario.PutSome(key, {1, 4});
  scenario.Open({.group = "again", .range = own, .user = "reader", .stream = "again"});
  scenario.PutSome(key, {1, 4});
  scenario.AwaitDelivered("own", "again");
}

}  // namespace
}  // namespace watchproof
