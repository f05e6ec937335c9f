// SPDX-License-Identifier: Apache-2.0
// Authorized: a user gets what its rights allow, and nothing else.
#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/checkers/checker.h"
#include "harness/checkers/phrases.h"
#include "harness/model/operations.h"
#include "harness/model/refusals.h"
#include "harness/model/rights.h"
#include "harness/model/users.h"

namespace watchproof {
namespace {

constexpr std::string_view kRoot = "root";
// Parts of the promise.
constexpr std::string_view kReadable = "A-2";
constexpr std::string_view kTakenAway = "A-7";
// A right that was taken away ends for open watches within this time.
constexpr Duration kTakenWithin = 1s;

// The keys that leases have, by the writes. A call that overlaps with another one may have met
// others; so may one about a lease that may have ended by itself, or that a write without a certain
// outcome is about.
class LeasedKeys {
 public:
  void Follow(const RecordedCall& call) {
    latest_end_ = call.ended;
    if (call.outcome == CallOutcome::kOpen) return BeUnsure(call);
    if (call.outcome != CallOutcome::kAnswered) return;
    switch (call.method) {
      case Method::kLeaseGrant:
      case Method::kLeaseKeepAlive:
      case Method::kLeaseTimeToLive:
        return FollowLease(call);
      case Method::kLeaseRevoke:
        return End(call.named);
      default:
        break;
    }
    if (!IsWrite(call.method)) return;
    const auto effect = AcknowledgedEffect(call.method, call.request.view(), call.response.view());
    if (!effect.has_value()) return BeUnsure(call);
    for (const Operation& operation : effect->operations) Apply(operation);
  }
  std::vector<std::string> Of(std::int64_t lease) const {
    std::vector<std::string> keys;
    for (const auto& [id, its] : leases_) {
      if (lease == 0 || id == lease) keys.insert(keys.end(), its.keys.begin(), its.keys.end());
    }
    return keys;
  }
  // Whether the call met these keys. `alone`: no other call is on its way where it ends.
  bool Certain(const RecordedCall& call, std::int64_t lease, bool alone) const {
    if (!alone || latest_end_ >= call.began || anything_) return false;
    return std::ranges::all_of(leases_, [&](const auto& one) {
      const auto& [id, its] = one;
      const bool asked = lease == 0 ? its.unsure || !its.keys.empty() : id == lease;
      return !asked || (!its.unsure && call.at < its.until);
    });
  }

 private:
  struct Lease {
    Duration until{};     // at the earliest; 0: its grant is not known
    bool unsure = false;  // its keys may be others
    std::set<std::string> keys{};
  };

  void FollowLease(const RecordedCall& call) {
    LeaseResponseView answer;
    if (!Parse(call.response.view(), answer).ok()) return;
    const bool asks = call.method == Method::kLeaseTimeToLive;
    // Less than a second may be left.
    if (answer.ttl < (asks ? 0 : 1)) return End(answer.id);
    if (asks) return;
    Duration& until = leases_[answer.id].until;
    until = std::max(until, call.at - call.took + std::chrono::seconds(answer.ttl));
  }
  // All that is known of it goes.
  void End(std::int64_t id) {
    const auto lease = leases_.find(id);
    if (lease == leases_.end()) return;
    for (const std::string& key : lease->second.keys) lease_of_.erase(key);
    leases_.erase(lease);
  }

  void Apply(const Operation& operation) {
    if (operation.deletes) {
      return EachIn(KeyRange(operation.key, operation.range_end), [this](auto key) {
        leases_[key->second].keys.erase(key->first);
        return lease_of_.erase(key);
      });
    }
    if (operation.keeps_lease) return;
    const std::string key(operation.key);
    if (const auto before = lease_of_.find(key); before != lease_of_.end()) {
      leases_[before->second].keys.erase(key);
      lease_of_.erase(before);
    }
    if (operation.lease == 0) return;
    lease_of_[key] = operation.lease;
    Lease& lease = leases_[operation.lease];
    lease.keys.insert(key);
    lease.unsure = lease.unsure || std::ranges::any_of(unsure_keys_, [&key](const KeyRange& range) {
                     return range.Contains(key);
                   });
  }

  // It may have been carried out, or may be later.
  void BeUnsure(const RecordedCall& call) {
    if (call.method == Method::kLeaseRevoke) leases_[call.named].unsure = true;
    if (!IsWrite(call.method)) return;
    const auto ways = PossibleEffects(call.method, call.request.view());
    anything_ = anything_ || !ways.has_value();
    if (!ways.has_value()) return;
    for (const std::vector<Operation>& way : *ways) {
      for (const Operation& operation : way) {
        const KeyRange range(operation.key, operation.range_end);
        EachIn(range, [this](auto key) {
          leases_[key->second].unsure = true;
          return std::next(key);
        });
        if (operation.lease != 0) leases_[operation.lease].unsure = true;
        unsure_keys_.push_back(range);
      }
    }
  }

  // Calls `visit` on each key in the range that is on a lease; it returns the next.
  template <typename Visit>
  void EachIn(const KeyRange& range, Visit visit) {
    auto key = lease_of_.lower_bound(range.first());
    while (key != lease_of_.end() && range.Contains(key->first)) key = visit(key);
  }

  std::map<std::string, std::int64_t> lease_of_;  // of keys that are on one
  std::map<std::int64_t, Lease> leases_;
  std::vector<KeyRange> unsure_keys_;  // that a write without a certain outcome may yet change
  bool anything_ = false;              // what such a write does cannot be listed
  Line latest_end_{};
};

// What is known of a user at a moment.
struct KnownRights {
  Line since{};
  bool changing = false;
  std::vector<std::string> roles{};
  KeyRanges reads{};
  KeyRanges writes{};

  bool Has(std::string_view role) const { return std::ranges::count(roles, role) > 0; }
  std::optional<bool> Cover(const NeededRight& need) const {
    return (need.write ? writes : reads).ContainAll(need.range);
  }
};

class Authorized final : public Checker {
 public:
  void Annotated(const Annotation& annotation, Where where) override {
    if (const auto* const as = std::get_if<CallsAs>(&annotation)) {
      users_[as->client] = as->user;
      if (as->wrong_token) wrong_tokens_.insert(as->client);
    } else if (const auto* const changed = std::get_if<RightsChanged>(&annotation)) {
      rights_[changed->user].changing = true;
      changed_ = where.line;
    } else if (const auto* const rights = std::get_if<UserRights>(&annotation)) {
      KnownRights known{.since = where.line, .roles = rights->roles};
      for (const auto& one : rights->ranges) {
        const KeyRange range(one.key.bytes, one.end.bytes);
        if (one.read) known.reads.Add(range);
        if (one.write) known.writes.Add(range);
      }
      rights_[rights->user] = std::move(known);
      changed_ = where.line;
    } else if (const auto* const right = std::get_if<ReadRight>(&annotation)) {
      readable_[right->stream].push_back({where, ReadableBy(*right), {}});
    }
  }

  void CallEnded(const RecordedCall& call, std::string_view, std::optional<Revision>) override {
    const std::string& client = facts().model.calls().client_names()[call.client];
    const auto authentication = authentication_.During(call, facts().model.calls());
    const auto user = users_.find(client);
    if (authentication == Authentication::State::kDisabled) {
      MustBeAnsweredToAnyone(call);
    } else if (authentication == Authentication::State::kEnabled) {
      if (user != users_.end()) JudgeCall(call, user->second);
      if (wrong_tokens_.contains(client)) JudgeWrongToken(call);
    }
    authentication_.Follow(call);
    leased_.Follow(call);
    NoteLate(call);
  }

  void Asked(WatchIndex watch) override {
    if (HasRight(facts(), watch) != false) return;
    At(beyond_, watch).stated = facts().table.RightOf(facts().state(watch).stream)->where.line;
  }
  void Answered(WatchIndex watch, const Response& response) override {
    Beyond& beyond = At(beyond_, watch);
    if (beyond.stated.value != 0 && !IsRefusal(response)) beyond.answered = response.where;
  }

  void Delivered(WatchIndex watch, const Response& response) override {
    const std::optional<Right>& right = facts().table.RightOf(facts().state(watch).stream);
    if (!right) return;
    const StreamId stream = facts().state(watch).stream;
    for (const EventView& event : response.message.events) {
      if (right->readable.Contains(event.kv.key) || TakenBy(stream, event.kv.key) != nullptr)
        continue;
      Add(watch, [&] {
        return Draft{
            .expected = fmt::format("only keys that the user of the stream may read, {}",
                                    Phrase(right->readable)),
            .observed = fmt::format("the {} in line {}", Phrase(event), response.where.line.value),
            .evidence = {right->where.line},
            .where = response.where,
            .symptom = symptom::ForbiddenKey{},
            .clause = kReadable};
      });
    }
  }

  void Compared(WatchIndex watch, const Response& response,
                const std::vector<Comparison>& comparisons) override {
    const StreamId stream = facts().state(watch).stream;
    if (!readable_.contains(stream)) return;
    const ExpectedList& expected = *facts().comparer.expected(watch);
    for (std::size_t i = 0; i < comparisons.size(); ++i) {
      const Change* const change = Matched(facts().comparer, expected, comparisons[i]);
      if (change != nullptr) CheckSince(watch, response, response.message.events[i], *change);
    }
  }

  // What was delivered shows more than that the watch was created.
  void Finish(WatchIndex watch) override {
    if (facts().table.RightOf(facts().state(watch).stream)) Exercised();
    const Beyond& beyond = At(beyond_, watch);
    if (beyond.answered.line.value == 0 || Has(watch)) return;
    Add(watch, [&] {
      return Draft{.expected = "the create to be refused: its user may not read all of the range",
                   .observed = fmt::format("it was answered with a watch in line {}",
                                           beyond.answered.line.value),
                   .evidence = {beyond.stated},
                   .where = beyond.answered,
                   .symptom = symptom::ForbiddenKey{}};
    });
  }

 private:
  // What the user of a stream may read, from a line on.
  struct Readable {
    Where since;
    KeyRanges keys;
    Line late{};  // where the first call began that was begun so late that it can count
  };
  // A create for more than its user might read by then.
  struct Beyond {
    Line stated{};  // 0: it was not
    Where answered{};
  };

  // The statement since which the user of the stream has not the right to read the key any more.
  // Null: it has it, or never had it.
  const Readable* TakenBy(StreamId stream, std::string_view key) const {
    const Readable* taken = nullptr;
    bool had = false;
    for (const Readable& one : readable_.at(stream)) {
      const bool has = one.keys.Contains(key);
      had = had || has;
      if (has) taken = nullptr;
      if (had && !has && taken == nullptr) taken = &one;
    }
    return taken;
  }
  // What was written before the right was taken, or soon after, may be on its way.
  void CheckSince(WatchIndex watch, const Response& response, const EventView& event,
                  const Change& change) const {
    const Readable* const taken = TakenBy(response.stream, event.kv.key);
    if (taken == nullptr || taken->late.value == 0 || change.written < taken->late) return;
    Add(
        watch,
        [&] {
          return Draft{
              .expected = fmt::format("no event of a key that the user may not read since "
                                      "line {}, or the end of the watch",
                                      taken->since.line.value),
              .observed = fmt::format("the {} {}, written in line {}", Phrase(event),
                                      Since(response.where, taken->since), change.written.value),
              .evidence = {taken->since.line, change.written},
              .where = response.where,
              .symptom = symptom::RightTaken{},
              .clause = kTakenAway};
        },
        Level::kShould);
  }

  void NoteLate(const RecordedCall& call) {
    for (auto& [stream, statements] : readable_) {
      for (Readable& one : statements) {
        if (call.at - call.took < one.since.at + kTakenWithin) continue;
        if (one.late.value == 0 || call.began < one.late) one.late = call.began;
      }
    }
  }

  void JudgeCall(const RecordedCall& call, const std::string& user) {
    static const KnownRights kNone;
    const auto found = rights_.find(user);
    if (!user.empty() && found == rights_.end()) return;
    const KnownRights& rights = user.empty() ? kNone : found->second;
    if (rights.changing || call.began < rights.since) return;
    const bool alone = facts().model.calls().out().empty();
    bool unsure = false;  // whether all is there that it needs
    const CallNeeds needs = NeedsOf(call.method, call.request.view(), [&](std::int64_t lease) {
      const bool certain = leased_.Certain(call, lease, alone);
      unsure = unsure || !certain;
      return certain ? leased_.Of(lease) : std::vector<std::string>();
    });
    Exercised();
    if (rights.Has(kRoot)) return MustBeAnswered(call, user);
    CallNeeds missing{
        .of = MissingKind(call.method, needs, user, rights, unsure), .about = {}, .rights = {}};
    for (const NeededRight& need : needs.rights) {
      const std::optional<bool> covered = rights.Cover(need);
      if (!covered) unsure = true;
      if (covered == false) missing.rights.push_back(need);
    }
    if (missing.of != CallOf::kAnyone || !missing.rights.empty()) {
      return MustBeRefused(call, user, std::move(missing));
    }
    // A token that the store has not issued may be refused whatever the call needs.
    if (!unsure && !user.empty()) MustBeAnswered(call, user);
  }

  // A client logs in again after this code, and no other. What the store may refuse before it looks
  // at the token is not judged.
  void JudgeWrongToken(const RecordedCall& call) const {
    if (call.outcome != CallOutcome::kRefused || !IsOfData(call.method)) return;
    if (call.code == StatusCode::kUnauthenticated ||
        ReasonToRefuse(call.method, call.request.view()))
      return;
    Add(call,
        Draft{.expected = fmt::format("a {} with a token that is good for nothing to be refused as "
                                      "unauthenticated",
                                      InfoOf(call.method).name),
              .observed =
                  fmt::format("it was refused as {} in line {}", Name(call.code), call.ended.value),
              .evidence = {call.began, call.ended}},
        Level::kShould);
  }

  // kAnyone: nothing is missing.
  static CallOf MissingKind(Method method, const CallNeeds& needs, const std::string& user,
                            const KnownRights& rights, bool& unsure) {
    const bool itself = method == Method::kRoleGet ? rights.Has(needs.about) : needs.about == user;
    switch (needs.of) {
      case CallOf::kAnyone:
        return CallOf::kAnyone;
      case CallOf::kAnyoneOrRoot:
        unsure = true;
        return CallOf::kAnyone;
      case CallOf::kUserOrRoot:
        unsure = true;
        [[fallthrough]];
      case CallOf::kUser:
        return user.empty() ? CallOf::kUser : CallOf::kAnyone;
      case CallOf::kItself:
        return !user.empty() && itself ? CallOf::kAnyone : CallOf::kRoot;
      case CallOf::kRoot:
        return CallOf::kRoot;
    }
    return CallOf::kAnyone;
  }

  void MustBeRefused(const RecordedCall& call, const std::string& user, CallNeeds missing) const {
    const bool answered = call.code == StatusCode::kOk;
    // The right of an operator comes before what the call is about: it may name what there is not.
    const bool looked = call.code == StatusCode::kNotFound && missing.of == CallOf::kRoot;
    if (!answered && !looked) return;
    Add(call,
        Draft{.expected = fmt::format("a {} to be refused: {}", InfoOf(call.method).name,
                                      WhatIsMissing(user, missing)),
              .observed = fmt::format("{} in line {}",
                                      answered ? "it was answered" : "it looked, and found none,",
                                      call.ended.value),
              .evidence = {call.began, call.ended},
              .symptom = symptom::NotRefused{call.method, std::move(missing)}});
  }
  void MustBeAnswered(const RecordedCall& call, const std::string& user) const {
    const bool refused =
        call.code == StatusCode::kPermissionDenied || call.code == StatusCode::kUnauthenticated;
    if (!refused && !(call.for_user && RefusedAsInvalid(call))) return;
    Add(call,
        Draft{.expected = fmt::format("a {} that user {} has the right to make to be answered",
                                      InfoOf(call.method).name, user),
              .observed =
                  fmt::format("it was refused as {} in line {}", Name(call.code), call.ended.value),
              .evidence = {call.began, call.ended}});
  }

  void MustBeAnsweredToAnyone(const RecordedCall& call) {
    Exercised();
    const bool refused =
        call.code == StatusCode::kPermissionDenied || call.code == StatusCode::kUnauthenticated;
    const bool as_invalid =
        call.for_user && call.code == StatusCode::kInvalidArgument && IsOfData(call.method);
    if (!refused && !as_invalid) return;
    Add(call,
        Draft{.expected = fmt::format("a {} not to be refused for its user: authentication is "
                                      "disabled",
                                      InfoOf(call.method).name),
              .observed =
                  fmt::format("it was refused as {} in line {}", Name(call.code), call.ended.value),
              .evidence = {call.began, call.ended},
              .clause = clause::kDisabled});
  }

  // For its user. A call about users is refused for those that it names, too; and any, while the
  // rights of another one change.
  bool RefusedAsInvalid(const RecordedCall& call) const {
    const bool changing =
        std::ranges::any_of(rights_, [](const auto& one) { return one.second.changing; });
    return call.code == StatusCode::kInvalidArgument && IsOfData(call.method) && !changing &&
           call.began > changed_;
  }

  static std::string WhatIsMissing(const std::string& user, const CallNeeds& missing) {
    const std::string caller = user.empty() ? "a caller without a user" : "user " + user;
    if (missing.of == CallOf::kUser) return fmt::format("it was made by {}", caller);
    if (missing.of == CallOf::kRoot) return fmt::format("{} has not the role root", caller);
    const NeededRight& first = missing.rights.front();
    return fmt::format("{} may not {} {}, {}", caller, first.write ? "write" : "read",
                       Phrase(first.range), NeededFor(first));
  }
  static std::string NeededFor(const NeededRight& right) {
    static constexpr std::string_view kFor[] = {
        "which it is about", "which it compares", "the value of which it would return",
        "the values of which it would return", "which is on the lease"};
    const std::string_view within[] = {"", " in a transaction", " in a nested transaction"};
    return fmt::format("{}{}", kFor[static_cast<std::size_t>(right.what)],
                       within[static_cast<std::size_t>(std::min(right.depth, 2))]);
  }

  std::map<std::string, std::string> users_;   // by client; empty: none
  std::set<std::string> wrong_tokens_;         // clients
  std::map<std::string, KnownRights> rights_;  // by user
  std::map<StreamId, std::vector<Readable>> readable_;
  std::vector<Beyond> beyond_;  // by watch
  Line changed_{};              // rights, of any user, last
  Authentication authentication_;
  LeasedKeys leased_;
};

const CheckerRegistration<Authorized> kAuthorized{{
    .guarantee = Guarantee("Authorized"),
    .place = 150,
    .gravity = Gravity::kData,
    .clause = "A-1",
    .impact = "A Kubernetes cache holds, and may hand on, objects that its user has no "
              "right to see.",
    .explain =
        "On a server with authentication enabled every call needs a user, and the right to "
        "read, write or delete what it is about: all of a range, also if the range has no "
        "end; what a transaction compares, and the operations of both branches and of "
        "transactions in it; what a put or a deletion returns; the other keys of a lease "
        "that a put joins, that is kept alive or revoked, or the keys of which are asked "
        "for. What operators do needs the role root. A call without that is refused, and a "
        "watch is not created; a call that its user may make is not refused. In any case a "
        "server must not send an event of a key that the user of the stream may not read. "
        "While rights change, either answer is right. Once authentication was disabled, no call "
        "is refused for its user, until it is enabled again. A right that was taken away, and "
        "acknowledged so, grants nothing more: no call, no new watch, and nothing that is "
        "written a second later on a watch that is open. Source: the role-based access control "
        "of etcd v3, and its advisories: GHSA-xg4h-6gfc-h4m8 (a user with the right to read "
        "one key could watch everything from that key on), CVE-2026-33343 (transactions in "
        "transactions), CVE-2026-33413 (calls without a token), CVE-2026-44283 (options of "
        "puts in a transaction), CVE-2023-32082 (the keys of a lease).",
}};

}  // namespace
}  // namespace watchproof
