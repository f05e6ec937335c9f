// SPDX-License-Identifier: Apache-2.0
// What each user may do, of every call and option.
#include <limits>

#include "cases/support/watch_case.h"
#include "harness/scenario/steps/auth.h"
#include "harness/scenario/steps/lease.h"
#include "harness/scenario/steps/stream.h"

namespace watchproof {
namespace {

// The keys of the attempt: users with rights have them from the second one up to the fourth one,
// which is the first without.
struct Keys {
  std::string before;
  std::string first;
  std::string last;
  std::string end;
  std::string behind;

  explicit Keys(const std::string& stem)
      : before(stem + "/a"),
        first(stem + "/b"),
        last(stem + "/c"),
        end(stem + "/d"),
        behind(stem + "/e") {}
  std::vector<std::string> All() const { return {before, first, last, end, behind}; }
  // Within what is granted, and beyond it on each side.
  std::vector<WatchedRange> Ranges() const {
    return {OneKey(first), OneKey(last),    OneKey(end),    OneKey(before),  {first, end},
            {last, end},   {first, behind}, {before, last}, {first, kNoEnd}, {kNoEnd, kNoEnd}};
  }
};

// Each option of each kind, on the range; one of them is drawn.
std::vector<Step> Operations(Scenario& scenario, const WatchedRange& range,
                             const std::vector<std::string>& leases) {
  const bool serializable = scenario.Chance(0.5);
  const auto read = [&](ReadStep form) {
    form.key = range.key;
    form.range_end = range.range_end;
    form.serializable = serializable;
    return Step(form);
  };
  std::vector<Step> operations = {
      read({}), read({.at = AtHead()}),
      scenario.Pick(std::vector<Step>{read({.keys_only = true}), read({.count_only = true}),
                                      read({.limit = 1}), read({.descending = true})}),
      DeleteStep{.key = range.key, .range_end = range.range_end},
      DeleteStep{.key = range.key, .range_end = range.range_end, .previous = true}};
  if (!range.range_end.empty()) return operations;
  const auto put = [&](PutStep form) {
    form.key = range.key;
    if (!form.keeps_value) form.value = scenario.Value();
    return Step(form);
  };
  operations.push_back(put({}));
  operations.push_back(put({.previous = true}));
  operations.push_back(put({.keeps_value = true}));
  for (const std::string& lease : leases) operations.push_back(put({.lease = lease}));
  return operations;
}

// In both branches of a transaction and of one in it, and what they compare.
std::vector<Step> InTransactions(const Step& operation, const std::string& compared) {
  const Step taken = TxnStep{.writes = {operation}};
  const Step other = TxnStep{.writes = {}, .absent = compared, .otherwise = {operation}};
  const Step left = TxnStep{.writes = {operation}, .absent = compared};
  return {taken,
          other,
          left,
          TxnStep{.writes = {taken}},
          TxnStep{.writes = {other}},
          TxnStep{.writes = {TxnStep{.writes = {left}}}}};
}
std::vector<Step> Comparing(const WatchedRange& range) {
  const Step compares = TxnStep{.writes = {}, .absent = range.key, .absent_end = range.range_end};
  return {compares, TxnStep{.writes = {compares}}};
}

// Every operation on each range alone, and on a key within and one beyond in transactions.
std::vector<Step> KeyCalls(Scenario& scenario, const Keys& keys,
                           const std::vector<std::string>& leases) {
  std::vector<Step> calls;
  const auto add = [&calls](const std::vector<Step>& more) {
    calls.insert(calls.end(), more.begin(), more.end());
  };
  for (const WatchedRange& range : keys.Ranges()) {
    const std::vector<Step> operations = Operations(scenario, range, leases);
    add(operations);
    add(Comparing(range));
  }
  for (const WatchedRange& range : {OneKey(keys.last), OneKey(keys.end)}) {
    for (const Step& operation : Operations(scenario, range, leases)) {
      add(InTransactions(operation, keys.last));
    }
  }
  scenario.Shuffle(calls);
  return calls;
}

std::vector<Step> CallsOfLeases(const std::vector<std::string>& leases) {
  std::vector<Step> calls = {OperatorStep{"lease grant"}, OperatorStep{"lease list"}};
  for (const std::string& lease : leases) {
    calls.push_back(OperatorStep{.call = "lease time to live", .lease = lease});
    calls.push_back(OperatorStep{.call = "lease time to live", .lease = lease, .keys = true});
    calls.push_back(OperatorStep{.call = "lease keep-alive", .lease = lease});
  }
  return calls;
}

constexpr const char* kOperatorCalls[] = {"compact",     "member list", "alarm",   "status",
                                          "defragment",  "hash",        "hash kv", "snapshot",
                                          "move leader", "downgrade"};
constexpr const char* kCallsAboutUsers[] = {"auth enable",
                                            "auth status",
                                            "authenticate",
                                            "user add",
                                            "user get",
                                            "user list",
                                            "user delete",
                                            "user grant role",
                                            "user change password",
                                            "user revoke role",
                                            "role add",
                                            "role get",
                                            "role list",
                                            "role delete",
                                            "role grant permission",
                                            "role revoke permission"};
// What root would be granted: the end of all rights, and changes of members, of which one that
// follows another at once may be lost without an answer.
constexpr const char* kNotByRoot[] = {"member add", "member remove", "member update",
                                      "member promote", "auth disable"};

struct User {
  std::string name;
  std::string token{};  // instead of its own; see WatchStep
  UserMay may = UserMay::kNothing;
  WatchedRange range{};

  std::string Group() const { return name + token; }
};
// The last one has the role root. Those without a name have no token, or show one of these.
std::vector<User> Users(Scenario& scenario, const Keys& keys, const std::string& token,
                        const std::vector<std::string>& others) {
  const WatchedRange own{keys.first, keys.end};
  std::vector<User> users = {{.name = "outsider", .token = token},
                             {"reader", token, UserMay::kRead, own},
                             {"writer", token, UserMay::kWrite, own},
                             {"owner", token, UserMay::kReadAndWrite, own},
                             {"of one key", token, UserMay::kReadAndWrite, OneKey(keys.last)},
                             {"to the end", token, UserMay::kRead, {keys.last, kNoEnd}}};
  for (const std::string& one : others) users.push_back({.name = "", .token = one});
  scenario.Shuffle(users);
  users.push_back({.name = "operator", .token = token, .may = UserMay::kRoot});
  return users;
}

// A store looks for tokens that have ended once a second.
constexpr Duration kEndsLate = 2500ms;

void Enable(Scenario& scenario, const std::vector<User>& users) {
  AuthStep auth{{{.user = "spare", .may = UserMay::kNothing}}};
  for (const User& user : users) {
    if (user.name.empty()) continue;
    auth.readers.push_back({user.name, user.range.key, user.range.range_end, user.may});
  }
  scenario.Add(auth);
}

// About a user and a role that are there, and others that come and go, or never are.
std::vector<Step> CallsAboutUsers(Scenario& scenario) {
  const std::vector<std::string> kinds(std::begin(kCallsAboutUsers), std::end(kCallsAboutUsers));
  const std::vector<std::string> users = {"spare", "added", "absent"};
  const std::vector<std::string> roles = {"", "added", "absent"};  // "": the one of the user
  std::vector<Step> calls;
  for (int i = 0; i < 40; ++i) {
    calls.push_back(OperatorStep{
        .call = scenario.Pick(kinds), .about = scenario.Pick(users), .role = scenario.Pick(roles)});
  }
  return calls;
}

std::vector<Step> CallsOf(Scenario& scenario, const User& user, const Keys& keys,
                          const std::vector<std::string>& leases) {
  std::vector<Step> calls = CallsOfLeases(leases);
  for (const char* call : kOperatorCalls) calls.push_back(OperatorStep{call});
  for (const char* call : kCallsAboutUsers) calls.push_back(OperatorStep{call});
  calls.push_back(OperatorStep{.call = "alarm", .change = true});
  if (user.may == UserMay::kRoot) {
    for (const Step& call : CallsAboutUsers(scenario)) calls.push_back(call);
  }
  for (const char* call : {"user get", "role get"}) {
    if (!user.name.empty()) calls.push_back(OperatorStep{.call = call, .about = user.name});
  }
  if (user.may != UserMay::kRoot) {
    for (const char* call : kNotByRoot) calls.push_back(OperatorStep{call});
  }
  for (const Step& call : KeyCalls(scenario, keys, leases)) calls.push_back(call);
  return calls;
}

// Each user watches each range, and makes every call there is; or as many, drawn from all of them.
constexpr std::size_t kEvery = std::numeric_limits<std::size_t>::max();
void MakeCalls(Scenario& scenario, const Keys& keys, const std::vector<User>& users,
               std::size_t most = kEvery) {
  const std::vector<std::string> leases = {"own", "foreign"};
  for (const std::string& lease : leases) scenario.Add(LeaseStep{lease, 120s});
  Enable(scenario, users);
  for (const User& user : users) {
    const std::string group = user.Group();
    for (const WatchedRange& range : keys.Ranges()) {
      scenario.Watch({.group = group,
                      .range = range,
                      .options = {.prev_kv = scenario.Chance(0.5)},
                      .user = user.name,
                      .stream = group,
                      .token = user.token});
    }
    scenario.AwaitCreated(group);
  }
  for (const User& user : users) {
    scenario.PutTogether(keys.All());
    scenario.PutOnLease(keys.last, "own");
    scenario.PutOnLease(keys.behind, "foreign");
    std::vector<Step> calls = CallsOf(scenario, user, keys, leases);
    if (most < calls.size()) {
      scenario.Shuffle(calls);
      calls.erase(calls.begin() + static_cast<std::ptrdiff_t>(most), calls.end());
    }
    // Last, as it may come to pass.
    const std::string ending = "for " + user.Group();
    scenario.Add(LeaseStep{ending, 120s});
    scenario.PutOnLease(keys.end, ending);
    calls.push_back(OperatorStep{.call = "lease revoke", .lease = ending});
    scenario.Add(CallsStep{user.name, user.token, std::move(calls)});
  }
  scenario.PutTogether(keys.All());
  scenario.AwaitDelivered(users.back().Group());
}

constexpr const char* kEveryCallRequirement =
    "a call needs the right to all that it reads, writes and returns; without it the call is "
    "refused, and changes nothing (etcd, role-based access control)";

WATCH_CASE(
    Authorized, EveryCall,
    {.requirement = kEveryCallRequirement,
     .explain = "Users that may read, write, or do both with a range, with one key of it, or with "
                "everything from a key on, one with the role root, one without any right, and "
                "callers without a token or with a wrong one make every call there is: reads, puts "
                "and deletions with each option, on keys and ranges within their rights and beyond "
                "them, at the exclusive end of a range too, alone, in both branches of "
                "transactions, in transactions within these, and as what is compared; those about "
                "leases with keys of their own and with others; and those of operators. Each is "
                "watched for, too. What a user has no right to must be refused and must change "
                "nothing; the rest must be answered.",
     .needs = {Capability::kUsers, Capability::kLeases, Capability::kCompaction},
     .guarantees = {"Authorized", "Reliable"}}) {
  const Keys keys(scenario.Key("m"));
  MakeCalls(scenario, keys, Users(scenario, keys, "", {"none", "abcdefghijklmnop.1"}));
}

WATCH_CASE(
    Authorized, DrawnCalls,
    {.requirement = kEveryCallRequirement,
     .explain = "Three of the users of EveryCall, which are drawn, and the one with the role root "
                "make some of the calls there are, drawn from all of them. Each is watched for, "
                "too. What a user has no right to must be refused and must change nothing; the "
                "rest must be answered.",
     .needs = {Capability::kUsers, Capability::kLeases, Capability::kCompaction},
     .guarantees = {"Authorized", "Reliable"}}) {
  const Keys keys(scenario.Key("m"));
  std::vector<User> users = Users(scenario, keys, "", {"none"});
  users.erase(users.begin(), users.end() - 4);
  MakeCalls(scenario, keys, users, 80);
}

WATCH_CASE(
    Authorized, NamesOfCertificates,
    {.requirement = "a client without a token is the user of the name in its certificate, and "
                    "needs no password (etcd, --client-cert-auth)",
     .explain =
         "Clients need a certificate. Users with rights as in EveryCall, and one with the "
         "role root, show certificates of their names instead of tokens and make every "
         "call there is, and so does a client with a name that is no user's; each also watches. "
         "What a user has no right to must be refused and must change nothing; the rest "
         "must be answered.",
     .needs = {Capability::kUsers, Capability::kLeases, Capability::kCompaction,
               Capability::kCertificateNames},
     .guarantees = {"Authorized", "Reliable"}}) {
  scenario.Cluster({.certificates = true});
  const Keys keys(scenario.Key("m"));
  MakeCalls(scenario, keys, Users(scenario, keys, "certificate", {"certificate"}));
}

// What users with every right do before their tokens have ended and afterwards.
void TokensEnd(Scenario& scenario, std::int64_t seconds, bool is_signed) {
  scenario.Cluster({.token_seconds = static_cast<int>(seconds), .signed_tokens = is_signed});
  const Keys keys(scenario.Key("m"));
  const std::vector<std::string> leases = {"own"};
  scenario.Add(LeaseStep{"own", 120s});
  const WatchedRange own{keys.before, keys.behind + "x"};
  std::vector<User> users = {{"owner", "", UserMay::kReadAndWrite, own}};
  // A signed token is refused, too, once any user or role has changed.
  if (!is_signed) users.push_back({.name = "operator", .may = UserMay::kRoot});
  Enable(scenario, users);
  scenario.Open({.group = "all", .range = own});
  for (const User& user : users) {
    for (const bool expired : {false, true}) {
      scenario.PutTogether(keys.All());
      scenario.PutOnLease(keys.last, "own");
      scenario.Add(CallsStep{.user = user.name,
                             .calls = CallsOf(scenario, user, keys, leases),
                             .age = expired ? std::chrono::seconds(seconds) + kEndsLate : 1s,
                             .expired = expired});
    }
  }
  for (const User& user : users) {
    const std::string group = "ended token of " + user.name;
    for (const WatchedRange& range : keys.Ranges()) {
      scenario.Watch({.group = group,
                      .range = range,
                      .options = {.prev_kv = scenario.Chance(0.5)},
                      .user = user.name,
                      .stream = group,
                      .token = "ended"});
    }
    scenario.AwaitCreated(group);
    scenario.Add(RequestProgressStep{group});
  }
  scenario.PutTogether(keys.All());
  scenario.AwaitDelivered("all");
  // The stream of these has a token that has ended, too: nothing more can be asked on it.
  scenario.Add(CloseStep{});
  scenario.Open({.group = "again", .range = own, .stream = "again"});
  scenario.PutTogether(keys.All());
  scenario.AwaitDelivered("again");
  scenario.Add(CloseStep{"again"});
}

WATCH_CASE(
    Authorized, ExpiredToken,
    {.requirement = "a token gives the rights of its user for as long as it is used now and "
                    "then, and none once it was not used for its lifetime (etcd, "
                    "--auth-token-ttl)",
     .explain = "The server's tokens end when they are not used for some seconds. A user "
                "with every right on a range, and one with the role root, make every call "
                "there is with a new token, and with one that has ended, and opens watches with "
                "that. With that all must be refused, and change nothing.",
     .needs = {Capability::kUsers, Capability::kLeases, Capability::kCompaction,
               Capability::kTokenLifetime},
     .guarantees = {"Authorized", "Reliable"}}) {
  TokensEnd(scenario, scenario.Between(6, 8), false);
}

WATCH_CASE(Authorized, ExpiredSignedToken,
           {.requirement = "a signed token gives the rights of its user until it ends, and none "
                           "from then on (etcd, --auth-token=jwt)",
            .explain = "The same with tokens that are signed (JWT), and end some seconds after "
                       "they were given, whether they are used or not. No call changes users.",
            .needs = {Capability::kUsers, Capability::kLeases, Capability::kCompaction,
                      Capability::kSignedTokens},
            .guarantees = {"Authorized", "Reliable"}}) {
  TokensEnd(scenario, scenario.Between(28, 32), true);
}

WATCH_CASE(
    Authorized, TokensOfOthers,
    {.requirement = "a user that is deleted, or has another password, has to log in again, and no "
                    "other user has to (etcd, role-based access control)",
     .explain = "Users with every right on a range log in. One gets another password, and one is "
                "deleted. With the tokens that these have from before all calls must be refused, "
                "and change nothing; with that of the third one they must be answered.",
     .needs = {Capability::kUsers, Capability::kLeases},
     .guarantees = {"Authorized", "Reliable"}}) {
  const Keys keys(scenario.Key("m"));
  const WatchedRange own{keys.before, keys.behind + "x"};
  std::vector<User> users;
  for (const char* name : {"changed", "deleted", "left"}) {
    users.push_back({name, "", UserMay::kReadAndWrite, own});
  }
  scenario.Shuffle(users);
  Enable(scenario, users);
  scenario.Open({.group = "all", .range = own});
  const auto call = [&](const std::vector<User>& as, bool ended) {
    for (const User& user : as) {
      scenario.PutTogether(keys.All());
      const Step put = PutStep{keys.first, scenario.Value()};
      std::vector<Step> calls = {put, ReadStep{.key = own.key, .range_end = own.range_end},
                                 DeleteStep{.key = keys.last}, TxnStep{.writes = {put}},
                                 OperatorStep{"lease grant"}};
      scenario.Shuffle(calls);
      scenario.Add(CallsStep{.user = user.name,
                             .calls = std::move(calls),
                             .expired = ended && user.name != "left",
                             .kept = user.name});
    }
  };
  call(users, false);
  scenario.Add(OperatorStep{.call = "user change password", .about = "changed"});
  scenario.Add(OperatorStep{.call = "user delete", .about = "deleted"});
  scenario.Shuffle(users);
  call(users, true);
  scenario.AwaitDelivered("all");
}

}  // namespace
}  // namespace watchproof
