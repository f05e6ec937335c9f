// SPDX-License-Identifier: Apache-2.0
// What a password is good for.
#include "cases/support/watch_case.h"
#include "harness/scenario/steps/auth.h"

namespace watchproof {
namespace {

constexpr const char* kNoPassword =
    "a user without a password gets no token, and acts by the name in its certificate (etcd, "
    "authentication)";

// A user that is added while authentication is enabled, by a call that is recorded.
struct LateUser {
  Scenario& scenario;
  std::string name = "added";

  void Change(const std::string& call, const std::string& password) {
    scenario.Add(OperatorStep{.call = call, .about = name, .password = password});
  }
  void AddWithoutPassword() {
    scenario.Add(OperatorStep{.call = "user add", .about = name, .no_password = true});
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

// The empty password, too.
WATCH_CASE(Authorized, NoPassword,
           {.requirement = kNoPassword,
            .explain = "A user is added without a password, and gets a right. A token is asked for "
                       "with its name and an empty password, with the one that watchproof gives "
                       "others, and with one that the user is then given: that must be refused "
                       "each time. Another user gets a token as before.",
            .needs = {Capability::kUsers, Capability::kNoPasswords},
            .guarantees = {"Answered", "Authorized", "Reliable"}}) {
  const WatchedRange own = Below(scenario.Key("m"));
  scenario.Add(AuthStep{{{.user = "reader", .key = own.key, .range_end = own.range_end}}});
  scenario.Open({.group = "own", .range = own, .user = "reader", .stream = "own"});
  LateUser user{scenario};
  user.AddWithoutPassword();
  scenario.Add(PermitStep{.user = user.name, .key = own.key, .range_end = own.range_end});
  const auto log_in = [&] {
    scenario.Add(OperatorStep{.call = "authenticate", .about = user.name, .no_password = true});
    user.LogIn({AdminClient::PasswordOf(user.name), user.name, "given"});
  };
  log_in();
  user.Change("user get", "");
  user.Change("user change password", "given");
  log_in();
  LateUser other{scenario, "other"};
  other.Change("user add", "given");
  other.LogIn({"given"});
  scenario.PutSome(own.key + "a", {1, 4});
  scenario.AwaitDelivered("own");
}

WATCH_CASE(Authorized, NoPasswordButCertificate,
           {.requirement = kNoPassword,
            .explain = "Clients need a certificate. A user is added without a password, and may "
                       "read and write a range. A client with a certificate of its name must be "
                       "answered within that range, and be refused beyond it; nothing gets a token "
                       "of the user.",
            .needs = {Capability::kUsers, Capability::kNoPasswords, Capability::kCertificateNames},
            .guarantees = {"Answered", "Authorized", "Reliable"}}) {
  scenario.Cluster({.certificates = true});
  const WatchedRange own = Below(scenario.Key("m"));
  const std::string key = own.key + "a";
  scenario.Add(AuthStep{{{.user = "reader", .key = own.key, .range_end = own.range_end}}});
  LateUser user{scenario};
  user.AddWithoutPassword();
  scenario.Add(PermitStep{.user = user.name, .key = own.key, .range_end = own.range_end});
  scenario.Watch(
      {.group = "own", .range = own, .user = user.name, .stream = "own", .token = "certificate"});
  scenario.AwaitCreated("own");
  const Step put = PutStep{.key = key, .value = scenario.Value(), .previous = true};
  const Step beyond = PutStep{scenario.Key("z"), scenario.Value()};
  scenario.Add(CallsStep{
      .user = user.name,
      .token = "certificate",
      .calls = {put, ReadStep{.key = own.key, .range_end = own.range_end}, TxnStep{.writes = {put}},
                DeleteStep{.key = key}, beyond, TxnStep{.writes = {beyond}},
                ReadStep{.key = own.key, .range_end = "z"},
                OperatorStep{.call = "authenticate", .about = user.name, .no_password = true},
                OperatorStep{.call = "user get", .about = user.name}, OperatorStep{"user list"}}});
  scenario.PutSome(key, {1, 4});
  scenario.AwaitDelivered("own");
}

}  // namespace
}  // namespace watchproof
