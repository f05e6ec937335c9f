// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/steps/wrong_requests.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/history/requests.h"

namespace watchproof {
namespace {

using Asked = const AskedStore&;
using Table = std::vector<WrongRequest>;
using Codes = std::vector<StatusCode>;

const Codes kInvalid = {StatusCode::kInvalidArgument};
const Codes kUnmet = {StatusCode::kFailedPrecondition};
const Codes kNotFound = {StatusCode::kNotFound};
const Codes kOutOfRange = {StatusCode::kOutOfRange};
const Codes kUnimplemented = {StatusCode::kUnimplemented};
// The services for locks pass on what their client says, without its code, and have none of their
// own.
const Codes kInvalidPassedOn = {StatusCode::kInvalidArgument, StatusCode::kUnknown};
const Codes kNotFoundPassedOn = {StatusCode::kNotFound, StatusCode::kUnknown};
const Codes kUncoded = {StatusCode::kUnknown};

using Releases = std::vector<AffectedRange>;
Releases Before(const char* range) { return {ParseRange(range).value()}; }
const Releases kBefore34 = Before("3.4 < 3.4.0");
const Releases kBefore35 = Before("3.5 < 3.5.0");
const Releases kBefore36 = Before("3.6 < 3.6.0");
const Releases kEmptyRanges = {ParseRange("3.4 < 3.4.25").value(),
                               ParseRange("3.5 < 3.5.8").value()};  // etcd #15294
const Releases kAll = Before("3.3");

constexpr std::int64_t kUnknownLease = 0x5eed;
constexpr std::int64_t kUnknownMember = 0x5eed;
constexpr std::int64_t kNoEnum = 99;  // a value that no enumeration of the API has
constexpr const char* kAbsent = "absent";
constexpr std::size_t kTooMany = 129;  // operations; etcd, --max-txn-ops

// A wrong operation, alone or in a transaction. By its form: it is refused in a branch that does
// not run, too.
struct WrongOperation {
  Method method;
  const char* wrong;
  bool of_form;
  Codes codes;
  std::function<Message(Asked)> make;
  Releases not_refused_by{};
};

Message KeyOnly(const std::string& key) { return Message().Text(1, key); }
Message PutOf(const std::string& key) { return ToMessage(PutRequest{.key = key, .value = "v"}); }
// A key that there never was.
std::string Never(Asked store) { return store.key + "/never"; }

const std::vector<WrongOperation>& WrongReads() {
  static const std::vector<WrongOperation> kReads = {
      {Method::kRange, "it names no key", true, kInvalid, [](Asked) { return Message(); }},
      {Method::kRange, "it names an end and no key", true, kInvalid,
       [](Asked store) { return Message().Text(2, store.key_end); }},
      {Method::kRange, "there is no such order", true, kInvalid,
       [](Asked store) { return KeyOnly(store.key).Number(5, kNoEnum); }, kBefore36},
      {Method::kRange, "there is no such field to sort by", true, kInvalid,
       [](Asked store) { return KeyOnly(store.key).Number(6, kNoEnum); }, kBefore36},
      {Method::kRange, "its revision is in the future", false, kOutOfRange,
       [](Asked store) { return KeyOnly(store.key).Number(4, store.head.value + 1000); }},
      {Method::kRange, "its revision is compacted", false, kOutOfRange,
       [](Asked store) { return KeyOnly(store.key).Number(4, store.floor.value - 1); }},
  };
  return kReads;
}

const std::vector<WrongOperation>& WrongWrites() {
  static const std::vector<WrongOperation> kWrites = {
      {Method::kPut, "it names no key", true, kInvalid,
       [](Asked) { return Message().Text(2, "v"); }},
      {Method::kPut, "it keeps the value and names one", true, kInvalid,
       [](Asked store) { return PutOf(store.key).Number(5, 1); }},
      {Method::kPut, "it keeps the lease and names one", true, kInvalid,
       [](Asked store) { return PutOf(store.key).Number(3, store.lease).Number(6, 1); }},
      {Method::kPut, "it keeps the value of a key that is not there", false, kInvalid,
       [](Asked store) { return KeyOnly(Never(store)).Number(5, 1); }},
      {Method::kPut, "it keeps the lease of a key that is not there", false, kInvalid,
       [](Asked store) { return PutOf(Never(store)).Number(6, 1); }},
      {Method::kPut, "there is no such lease", false, kNotFound,
       [](Asked store) { return PutOf(store.key).Number(3, kUnknownLease); }},
      {Method::kDeleteRange, "it names no key", true, kInvalid, [](Asked) { return Message(); }},
      {Method::kDeleteRange, "it names an end and no key", true, kInvalid,
       [](Asked store) { return Message().Text(2, store.key_end); }},
  };
  return kWrites;
}

Message Operation(Method method, const Message& operation) {
  return Message().Nested(static_cast<std::uint32_t>(method), operation);
}
enum Branch : std::uint32_t { kTaken = 2, kOther = 3 };  // of a transaction without compares
// Beside another put, which must not happen either.
Message TxnWith(Asked store, Branch branch, const Message& operation) {
  return Message()
      .Nested(kTaken, Operation(Method::kPut, PutOf(store.key + "/beside")))
      .Nested(branch, operation);
}
Message NestedTxn(Asked store, Branch branch, const Message& operation) {
  return TxnWith(store, kTaken, Operation(Method::kTxn, Message().Nested(branch, operation)));
}

void AddInTransactions(const WrongOperation& one, Table& table) {
  using Place = Message (*)(Asked, Branch, const Message&);
  const auto add = [&](Place place, Branch branch, const char* where) {
    if (branch == kOther && !one.of_form) return;
    table.push_back({WrongIn::kKeys, Method::kTxn,
                     fmt::format("in {}, a {}: {}", where, InfoOf(one.method).name, one.wrong),
                     one.codes,
                     [one, place, branch](Asked store) {
                       return place(store, branch, Operation(one.method, one.make(store)));
                     },
                     one.not_refused_by});
  };
  add(TxnWith, kTaken, "the branch that runs");
  add(TxnWith, kOther, "the branch that does not run");
  add(NestedTxn, kTaken, "a transaction in it");
  add(NestedTxn, kOther, "what does not run of a transaction in it");
}

std::vector<Message> Puts(Asked store, std::size_t count) {
  std::vector<Message> puts;
  for (std::size_t i = 0; i < count; ++i) {
    puts.push_back(Operation(Method::kPut, PutOf(fmt::format("{}/{}", store.key, i))));
  }
  return puts;
}
Message TxnOf(Branch branch, const std::vector<Message>& operations) {
  Message txn;
  for (const Message& one : operations) txn.Nested(branch, one);
  return txn;
}

void AddTransactions(Table& table) {
  const auto add = [&table](const char* wrong, std::function<Message(Asked)> make) {
    table.push_back({WrongIn::kKeys, Method::kTxn, wrong, kInvalid, std::move(make)});
  };
  add("a compare names no key", [](Asked store) {
    return Message().Nested(1, Message()).Nested(kTaken, Puts(store, 1).front());
  });
  add("a compare in a transaction in it names no key", [](Asked store) {
    return TxnWith(store, kTaken, Operation(Method::kTxn, Message().Nested(1, Message())));
  });
  for (const Branch branch : {kTaken, kOther}) {
    const std::string of = branch == kTaken ? "that runs" : "that does not run";
    const auto in_branch = [&](const char* wrong, std::function<std::vector<Message>(Asked)> make) {
      table.push_back(
          {WrongIn::kKeys, Method::kTxn, fmt::format("the branch {} {}", of, wrong), kInvalid,
           [branch, make = std::move(make)](Asked store) { return TxnOf(branch, make(store)); }});
    };
    in_branch("has an operation that is none",
              [](Asked) { return std::vector<Message>{Message()}; });
    in_branch("has too many operations", [](Asked store) { return Puts(store, kTooMany); });
    in_branch("puts a key twice", [](Asked store) {
      const Message put = Puts(store, 1).front();
      return std::vector<Message>{put, put};
    });
    in_branch("puts a key that a transaction in it puts", [](Asked store) {
      const Message put = Puts(store, 1).front();
      return std::vector<Message>{put, Operation(Method::kTxn, Message().Nested(kTaken, put))};
    });
    in_branch("puts a key and deletes a range with it", [](Asked store) {
      const DeleteRequest range{.key = store.key, .range_end = store.key_end};
      return std::vector<Message>{Puts(store, 1).front(),
                                  Operation(Method::kDeleteRange, ToMessage(range))};
    });
  }
}

void AddKeys(Table& table) {
  for (const auto* operations : {&WrongReads(), &WrongWrites()}) {
    for (const WrongOperation& one : *operations) {
      table.push_back(
          {WrongIn::kKeys, one.method, one.wrong, one.codes, one.make, one.not_refused_by});
      AddInTransactions(one, table);
    }
  }
  AddTransactions(table);
  const auto compacts = [&table](const char* wrong, std::function<std::int64_t(Asked)> at) {
    table.push_back(
        {WrongIn::kKeys, Method::kCompact, wrong, kOutOfRange,
         [at = std::move(at)](Asked store) { return CompactionAt(Revision(at(store))); }});
  };
  compacts("its revision is in the future", [](Asked store) { return store.head.value + 1000; });
  compacts("its revision is compacted", [](Asked store) { return store.floor.value; });
  compacts("its revision is far below the floor", [](Asked) { return 1; });
  compacts("it names no revision", [](Asked) { return 0; });
  compacts("its revision is negative", [](Asked) { return -1; });
}

void AddInParts(Table& table) {
  for (const WrongOperation& one : WrongReads()) {
    table.push_back(
        {WrongIn::kKeysInParts, one.method, one.wrong, one.codes, one.make, one.not_refused_by});
  }
  // What cannot be answered in parts.
  const auto add = [&table](const char* wrong, std::uint32_t field, std::int64_t value,
                            std::int64_t order = 0) {
    table.push_back(
        {WrongIn::kKeysInParts, Method::kRange, wrong, kUnimplemented, [=](Asked store) {
           return ToMessage(ReadRequest{.key = store.key, .range_end = store.key_end})
               .Optional(5, order)
               .Number(field, value);
         }});
  };
  add("it is in descending order", 5, 2);
  add("it is in the order of versions", 6, 1, 1);
  add("it is in the order of creations", 6, 2, 1);
  add("it is in the order of changes", 6, 3, 1);
  add("it is in the order of values", 6, 4, 1);
  add("it bounds changes from below", 10, 1);
  add("it bounds changes from above", 11, 1);
  add("it bounds creations from below", 12, 1);
  add("it bounds creations from above", 13, 1);
}

void AddLeases(Table& table) {
  constexpr std::int64_t kLongest = 9'000'000'000;  // seconds; etcd, MaxLeaseTTL
  const auto add = [&table](Method method, const char* wrong, const Codes& codes,
                            std::function<Message(Asked)> make) {
    table.push_back({WrongIn::kLeases, method, wrong, codes, std::move(make)});
  };
  add(Method::kLeaseGrant, "its id is in use", kUnmet,
      [](Asked store) { return GrantOf(store.lease, 700); });
  add(Method::kLeaseGrant, "its time is too long", kOutOfRange,
      [](Asked) { return GrantOf(kUnknownLease, kLongest + 1); });
  add(Method::kLeaseGrant, "its time is too long, and it names no id", kOutOfRange,
      [](Asked) { return GrantOf(0, kLongest + 1); });
  add(Method::kLeaseRevoke, "there is no such lease", kNotFound,
      [](Asked) { return Message().Number(1, kUnknownLease); });
  add(Method::kLeaseRevoke, "it names no lease", kNotFound, [](Asked) { return Message(); });
}

// A name or two, as most calls about users and roles have them.
Message Names(std::string_view first, std::string_view second = {}) {
  return Message().OptionalText(1, first).OptionalText(2, second);
}
Message Granting(const std::string& role, const std::string& key, const std::string& end) {
  return Names(role).Nested(2, Message().OptionalText(2, key).OptionalText(3, end));
}

void AddUsers(Table& table) {
  const auto add = [&table](Method method, const char* wrong, const Codes& codes,
                            std::function<Message(Asked)> make) {
    table.push_back({WrongIn::kUsers, method, wrong, codes, std::move(make)});
  };
  const auto name_only = [](const char* name) { return [name](Asked) { return Names(name); }; };
  add(Method::kUserAdd, "it names no user", kInvalid, [](Asked) { return Names("", "password"); });
  add(Method::kUserAdd, "there is such a user", kUnmet,
      [](Asked store) { return Names(store.user, "password"); });
  for (const Method method : {Method::kUserGet, Method::kUserDelete, Method::kUserChangePassword}) {
    add(method, "there is no such user", kUnmet, name_only(kAbsent));
    add(method, "it names no user", kUnmet, name_only(""));
  }
  add(Method::kUserDelete, "it is about root", kInvalid, name_only("root"));
  for (const Method method : {Method::kUserGrantRole, Method::kUserRevokeRole}) {
    add(method, "there is no such user", kUnmet,
        [](Asked store) { return Names(kAbsent, store.role); });
    add(method, "it names no user", kUnmet, [](Asked store) { return Names("", store.role); });
    add(method, "there is no such role", kUnmet,
        [](Asked store) { return Names(store.user, kAbsent); });
    add(method, "it names no role", kUnmet, [](Asked store) { return Names(store.user); });
  }
  add(Method::kUserRevokeRole, "the user has not the role", kUnmet,
      [](Asked store) { return Names(store.user, "root"); });
  add(Method::kUserRevokeRole, "it is about root", kInvalid,
      [](Asked) { return Names("root", "root"); });
  add(Method::kAuthenticate, "the password is another", kInvalid,
      [](Asked store) { return Names(store.user, "another"); });
  add(Method::kAuthenticate, "there is no such user", kInvalid,
      [](Asked) { return Names(kAbsent, "password"); });
  add(Method::kAuthenticate, "it names no user", kInvalid,
      [](Asked) { return Names("", "password"); });
}

void AddRoles(Table& table) {
  const auto add = [&table](Method method, const char* wrong, const Codes& codes,
                            std::function<Message(Asked)> make) {
    table.push_back({WrongIn::kUsers, method, wrong, codes, std::move(make)});
  };
  const auto name_only = [](const char* name) { return [name](Asked) { return Names(name); }; };
  add(Method::kRoleAdd, "it names no role", kInvalid, name_only(""));
  table.back().not_refused_by = kBefore34;  // older ones end: etcd #10905
  add(Method::kRoleAdd, "there is such a role", kUnmet,
      [](Asked store) { return Names(store.role); });
  for (const Method method : {Method::kRoleGet, Method::kRoleDelete}) {
    add(method, "there is no such role", kUnmet, name_only(kAbsent));
    add(method, "it names no role", kUnmet, name_only(""));
  }
  add(Method::kRoleDelete, "it is about root", kInvalid, name_only("root"));
  const auto grants = [&](const char* wrong, const Releases& not_refused_by,
                          std::function<Message(Asked)> make) {
    add(Method::kRoleGrantPermission, wrong, kInvalid, std::move(make));
    table.back().not_refused_by = not_refused_by;
  };
  // Older ones end: etcd #13086.
  grants("it permits nothing", kBefore35, [](Asked store) { return Names(store.role); });
  grants("the permission names no key", kEmptyRanges,
         [](Asked store) { return Granting(store.role, "", ""); });
  grants("the permission names an end and no key", kEmptyRanges,
         [](Asked store) { return Granting(store.role, "", store.key_end); });
  grants("the permission ends before it begins", kEmptyRanges,
         [](Asked store) { return Granting(store.role, store.key_end, store.key); });
  grants("the permission ends where it begins", kEmptyRanges,
         [](Asked store) { return Granting(store.role, store.key, store.key); });
  add(Method::kRoleGrantPermission, "there is no such role", kUnmet,
      [](Asked store) { return Granting(kAbsent, store.key, ""); });
  add(Method::kRoleGrantPermission, "it names no role", kUnmet,
      [](Asked store) { return Granting("", store.key, ""); });
  const auto revokes = [&](const char* wrong, std::function<Message(Asked)> make) {
    add(Method::kRoleRevokePermission, wrong, kUnmet, std::move(make));
  };
  revokes("there is no such role",
          [](Asked store) { return Names(kAbsent, store.key).Text(3, store.key_end); });
  revokes("it names no role",
          [](Asked store) { return Names("", store.key).Text(3, store.key_end); });
  revokes("it names no key", [](Asked store) { return Names(store.role); });
  revokes("the role permits nothing of the key",
          [](Asked store) { return Names(store.role, kAbsent); });
  revokes("the role permits more than the key",
          [](Asked store) { return Names(store.role, store.key); });
  revokes("the role permits another range",
          [](Asked store) { return Names(store.role, store.key).Text(3, store.key_end + "x"); });
}

void AddOperators(Table& table) {
  const auto add = [&table](Method method, const char* wrong, const Codes& codes,
                            std::function<Message(Asked)> make, Releases not_refused_by = {}) {
    table.push_back(
        {WrongIn::kOperators, method, wrong, codes, std::move(make), std::move(not_refused_by)});
  };
  add(Method::kHashKv, "its revision is in the future", kOutOfRange,
      [](Asked store) { return Message().Number(1, store.head.value + 1000); });
  add(Method::kHashKv, "its revision is compacted", kOutOfRange,
      [](Asked store) { return Message().Number(1, store.floor.value - 1); });
  add(
      Method::kMoveLeader, "there is no such member", kUnmet,
      [](Asked) { return Message().Number(1, kUnknownMember); }, kBefore34);
  add(
      Method::kMoveLeader, "it names no member", kUnmet, [](Asked) { return Message(); },
      kBefore34);
  add(
      Method::kAlarm, "there is no such action", kInvalid,
      [](Asked) { return Message().Number(1, kNoEnum); }, kAll);
  add(
      Method::kDowngrade, "there is no such action", kUncoded,
      [](Asked) { return Message().Number(1, kNoEnum).Text(2, "3.6.0"); }, kBefore35);
  constexpr std::int64_t kValidate = 0;
  constexpr std::int64_t kEnable = 1;
  for (const std::int64_t action : {kValidate, kEnable}) {
    const auto to = [action](const char* version) {
      return [=](Asked) { return Message().Optional(1, action).OptionalText(2, version); };
    };
    const std::string what = action == kEnable ? "begins" : "is asked for";
    const auto downgrades = [&](const char* wrong, const char* version) {
      add(Method::kDowngrade, fmt::format("it {} {}", what, wrong).c_str(), kInvalid, to(version),
          kBefore35);
    };
    downgrades("and names no version", "");
    downgrades("with a version that is none", "three");
    downgrades("to a version too far below", "3.0.0");
    downgrades("to a later version", "3.99.0");
  }
}

void AddMembers(Table& table) {
  const auto add = [&table](Method method, const char* wrong, const Codes& codes,
                            std::function<Message(Asked)> make, Releases not_refused_by = {}) {
    table.push_back(
        {WrongIn::kOperators, method, wrong, codes, std::move(make), std::move(not_refused_by)});
  };
  add(Method::kMemberAdd, "it names no address", kInvalid, [](Asked) { return Message(); });
  add(Method::kMemberAdd, "the address is none", kInvalid,
      [](Asked) { return Message().Text(1, "nonsense"); });
  add(Method::kMemberAdd, "the address has a path", kInvalid,
      [](Asked) { return Message().Text(1, "http://127.0.0.1:1/path"); });
  add(Method::kMemberAdd, "the address has no port", kInvalid,
      [](Asked) { return Message().Text(1, "http://127.0.0.1"); });
  add(Method::kMemberAdd, "the address is in use", kUnmet,
      [](Asked store) { return Message().Text(1, store.peer_url); });
  add(Method::kMemberAdd, "the address of a learner is in use", kUnmet,
      [](Asked store) { return Message().Text(1, store.peer_url).Number(2, 1); });
  for (const Method method : {Method::kMemberRemove, Method::kMemberPromote}) {
    const auto not_refused_by = method == Method::kMemberPromote ? kBefore34 : Releases();
    add(
        method, "there is no such member", kNotFound,
        [](Asked) { return Message().Number(1, kUnknownMember); }, not_refused_by);
    add(
        method, "it names no member", kNotFound, [](Asked) { return Message(); }, not_refused_by);
  }
  add(Method::kMemberUpdate, "there is no such member", kNotFound,
      [](Asked) { return Message().Number(1, kUnknownMember).Text(2, "http://127.0.0.1:1"); });
  add(
      Method::kMemberPromote, "the member is no learner", kUnmet,
      [](Asked store) { return Message().Number(1, static_cast<std::int64_t>(store.member)); },
      kBefore34);
}

void AddLocks(Table& table) {
  const auto add = [&table](Method method, const char* wrong, const Codes& codes,
                            std::function<Message(Asked)> make) {
    table.push_back({WrongIn::kLocks, method, wrong, codes, std::move(make)});
  };
  const auto claim = [](std::int64_t lease) {
    return [lease](Asked store) { return Message().Text(1, store.key + "/lock").Number(2, lease); };
  };
  // As a client that leads sends it, with a key that is not there.
  const auto led = [](Asked store) {
    return Message().Nested(1, Message()
                                   .Text(1, store.key + "/lock")
                                   .Text(2, store.key + "/lock/1")
                                   .Number(3, 1)
                                   .Number(4, store.lease));
  };
  add(Method::kLock, "there is no such lease", kNotFoundPassedOn, claim(kUnknownLease));
  add(Method::kUnlock, "it names no key", kInvalidPassedOn, [](Asked) { return Message(); });
  add(Method::kCampaign, "there is no such lease", kNotFoundPassedOn, claim(kUnknownLease));
  add(Method::kProclaim, "it names no leader", kUncoded,
      [](Asked) { return Message().Text(2, "v"); });
  add(Method::kProclaim, "it leads not", kUncoded,
      [led](Asked store) { return led(store).Text(2, "v"); });
  add(Method::kResign, "it names no leader", kUncoded, [](Asked) { return Message(); });
  add(Method::kLeader, "there is no leader", kUncoded,
      [](Asked store) { return Message().Text(1, store.key + "/lock"); });
}

Table AllOfThem() {
  Table table;
  AddKeys(table);
  AddInParts(table);
  AddLeases(table);
  table.push_back({WrongIn::kNoUsers, Method::kAuthEnable, "there is no user root", kUnmet,
                   [](Asked) { return Message(); }});
  table.push_back({WrongIn::kNoUsers, Method::kAuthenticate, "authentication is not enabled",
                   kUnmet, [](Asked) { return Names(kAbsent, "password"); }});
  AddUsers(table);
  AddRoles(table);
  AddOperators(table);
  AddMembers(table);
  AddLocks(table);
  return table;
}

}  // namespace

std::string WrongRequest::name() const {
  return fmt::format("{}{}: {}", InfoOf(method).name, in_parts() ? kInParts : "", wrong);
}

bool WrongRequest::MustBeRefusedBy(std::string_view version) const {
  const auto release = ParseVersion(version);
  return not_refused_by.empty() || !release ||
         StateIn(not_refused_by, *release).presence != Presence::kAffected;
}

const std::vector<WrongRequest>& WrongRequests() {
  static const Table table = AllOfThem();
  return table;
}

const WrongRequest* FindWrongRequest(std::string_view name) {
  const auto found = std::ranges::find(WrongRequests(), name, &WrongRequest::name);
  return found == WrongRequests().end() ? nullptr : &*found;
}

}  // namespace watchproof
