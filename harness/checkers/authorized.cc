// SPDX-License-Identifier: Apache-2.0
// Authorized: a user gets what its rights allow, and nothing else.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/checkers/checker.h"
#include "harness/checkers/phrases.h"
#include "harness/model/operations.h"
#include "harness/model/rights.h"

namespace watchproof {
namespace {

constexpr std::string_view kRoot = "root";
// A right that was taken away ends for open watches within this time.
constexpr Duration kTakenWithin = 1s;

// The keys that leases have, by the acknowledged writes. A call that overlaps with another one may
// have met other keys, and a lease may have ended by itself.
class LeasedKeys {
 public:
  void Follow(const RecordedCall& call) {
    latest_end_ = call.ended;
    if (call.outcome != CallOutcome::kAnswered) return;
    LeaseResponseView granted;
    if (call.method == Method::kLeaseGrant && Parse(call.response.view(), granted).ok()) {
      ends_[granted.id] = call.at - call.took + std::chrono::seconds(granted.ttl);
    }
    if (call.method == Method::kLeaseRevoke) {
      std::erase_if(lease_of_, [&call](const auto& one) { return one.second == call.named; });
    }
    if (!IsWrite(call.method)) return;
    const auto effect = AcknowledgedEffect(call.method, call.request.view(), call.response.view());
    if (!effect.has_value()) return;
    for (const Operation& operation : effect->operations) Apply(operation);
  }
  std::vector<std::string> Of(std::int64_t lease) const {
    std::vector<std::string> keys;
    for (const auto& [key, its] : lease_of_) {
      if (its != 0 && (lease == 0 || its == lease)) keys.push_back(key);
    }
    return keys;
  }
  // Whether the call met these keys. `alone`: no other call is on its way where it ends.
  bool Certain(const RecordedCall& call, bool alone) const {
    return alone && latest_end_ < call.began &&
           std::ranges::all_of(ends_, [&](const auto& one) { return call.at < one.second; });
  }

 private:
  void Apply(const Operation& operation) {
    if (!operation.deletes) {
      std::int64_t& lease = lease_of_[std::string(operation.key)];
      if (!operation.keeps_lease) lease = operation.lease;
      return;
    }
    const KeyRange range(operation.key, operation.range_end);
    std::erase_if(lease_of_, [&range](const auto& one) { return range.Contains(one.first); });
  }

  std::map<std::string, std::int64_t> lease_of_;  // 0: none
  std::map<std::int64_t, Duration> ends_;
  Line latest_end_{};
};

// What is known of a user at a moment.
struct KnownRights {
  struct Permitted {
    KeyRange range;
    bool read = false;
    bool write = false;
  };
  Line since{};
  bool changing = false;
  std::vector<std::string> roles{};
  std::vector<Permitted> ranges{};

  bool Has(std::string_view role) const { return std::ranges::count(roles, role) > 0; }
  // Empty: that follows from several ranges together, which a store may join or not.
  std::optional<bool> Cover(const NeededRight& need) const {
    std::size_t met = 0;
    for (const Permitted& one : ranges) {
      if (!(need.write ? one.write : one.read)) continue;
      if (one.range.ContainsAll(need.range)) return true;
      met += Meet(one.range, need.range) ? 1U : 0U;
    }
    if (met > 1) return std::nullopt;
    return false;
  }
  static bool Meet(const KeyRange& one, const KeyRange& other) {
    return one.Contains(other.first()) || other.Contains(one.first());
  }
};

class Authorized final : public Checker {
 public:
  void Annotated(const Annotation& annotation, Where where) override {
    if (const auto* const as = std::get_if<CallsAs>(&annotation)) {
      users_[as->client] = as->user;
    } else if (const auto* const changed = std::get_if<RightsChanged>(&annotation)) {
      rights_[changed->user].changing = true;
    } else if (const auto* const rights = std::get_if<UserRights>(&annotation)) {
      KnownRights known{.since = where.line, .roles = rights->roles};
      for (const auto& one : rights->ranges) {
        known.ranges.push_back({KeyRange(one.key.bytes, one.end.bytes), one.read, one.write});
      }
      rights_[rights->user] = std::move(known);
    } else if (const auto* const right = std::get_if<ReadRight>(&annotation)) {
      Taken& taken = taken_[right->stream];
      if (taken.first.value == 0) {
        taken.first = where.line;
      } else {
        taken.since = where;
        taken.written = facts().model.calls().reached();
      }
    }
  }

  void CallEnded(const RecordedCall& call, std::string_view, std::optional<Revision>) override {
    const auto user = users_.find(facts().model.calls().client_names()[call.client]);
    if (user != users_.end()) JudgeCall(call, user->second);
    leased_.Follow(call);
  }

  void Answered(WatchIndex watch, const Response& response) override {
    if (IsRefusal(response) || !LacksRight(facts(), watch)) return;
    Add(watch, [&] {
      return Draft{.expected = "the create to be refused: its user may not read all of the range",
                   .observed = fmt::format("it was answered with a watch in line {}",
                                           response.where.line.value),
                   .evidence = {facts().table.RightOf(facts().state(watch).stream)->where.line},
                   .where = response.where,
                   .symptom = symptom::ForbiddenKey{}};
    });
  }

  void Delivered(WatchIndex watch, const Response& response) override {
    const std::optional<Right>& right = facts().table.RightOf(facts().state(watch).stream);
    if (!right) return;
    const Taken& taken = taken_[facts().state(watch).stream];
    for (const EventView& event : response.message.events) {
      if (right->readable.Contains(event.kv.key)) continue;
      if (taken.since) {
        DeliveredSince(watch, response, event, taken);
        continue;
      }
      Add(watch, [&] {
        return Draft{
            .expected = fmt::format("only keys that the user of the stream may read, {}",
                                    Phrase(right->readable)),
            .observed = fmt::format("the {} in line {}", Phrase(event), response.where.line.value),
            .evidence = {right->where.line},
            .where = response.where,
            .symptom = symptom::ForbiddenKey{}};
      });
    }
  }

  void Finish(WatchIndex watch) override {
    if (facts().table.RightOf(facts().state(watch).stream)) Exercised();
  }

 private:
  // What the user of a stream might read before.
  struct Taken {
    Line first{};
    std::optional<Where> since{};
    Revision written{};  // by then
  };

  // What was written before the right was taken may be on its way.
  void DeliveredSince(WatchIndex watch, const Response& response, const EventView& event,
                      const Taken& taken) const {
    if (Revision(event.kv.mod_revision) <= taken.written) return;
    if (response.where.at - taken.since->at < kTakenWithin) return;
    Add(
        watch,
        [&] {
          return Draft{.expected = fmt::format("no event of a key that the user may not read since "
                                               "line {}, or the end of the watch",
                                               taken.since->line.value),
                       .observed = fmt::format("the {} {}", Phrase(event),
                                               Since(response.where, *taken.since)),
                       .evidence = {taken.since->line},
                       .where = response.where,
                       .symptom = symptom::RightTaken{}};
        },
        Level::kShould);
  }

  void JudgeCall(const RecordedCall& call, const std::string& user) {
    static const KnownRights kNone;
    const auto found = rights_.find(user);
    if (!user.empty() && found == rights_.end()) return;
    const KnownRights& rights = user.empty() ? kNone : found->second;
    if (rights.changing || call.began < rights.since) return;
    const bool certain = leased_.Certain(call, facts().model.calls().out().empty());
    bool unsure = false;  // whether all is there that it needs
    const CallNeeds needs = NeedsOf(call.method, call.request.view(), [&](std::int64_t lease) {
      unsure = unsure || !certain;
      return certain ? leased_.Of(lease) : std::vector<std::string>();
    });
    Exercised();
    if (rights.Has(kRoot)) return MustBeAnswered(call, user);
    CallNeeds missing{.of = MissingKind(needs, user, rights, unsure), .about = {}, .rights = {}};
    for (const NeededRight& need : needs.rights) {
      const std::optional<bool> covered = rights.Cover(need);
      if (!covered) unsure = true;
      if (covered == false) missing.rights.push_back(need);
    }
    if (missing.of != CallOf::kAnyone || !missing.rights.empty()) {
      return MustBeRefused(call, user, std::move(missing));
    }
    if (!unsure) MustBeAnswered(call, user);
  }

  // kAnyone: nothing is missing.
  static CallOf MissingKind(const CallNeeds& needs, const std::string& user,
                            const KnownRights& rights, bool& unsure) {
    const bool itself = needs.about == user || rights.Has(needs.about);
    switch (needs.of) {
      case CallOf::kAnyone:
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
    if (!refused) return;
    Add(call,
        Draft{.expected = fmt::format("a {} that user {} has the right to make to be answered",
                                      InfoOf(call.method).name, user),
              .observed =
                  fmt::format("it was refused as {} in line {}", Name(call.code), call.ended.value),
              .evidence = {call.began, call.ended}});
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
  std::map<std::string, KnownRights> rights_;  // by user
  std::map<StreamId, Taken> taken_;
  LeasedKeys leased_;
};

const CheckerRegistration<Authorized> kAuthorized{{
    .guarantee = Guarantee("Authorized"),
    .place = 150,
    .gravity = Gravity::kData,
    .promise = "A user gets what its rights allow, and nothing else.",
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
        "While rights change, either answer is right. A right that was taken away, and "
        "acknowledged so, grants nothing more: no call, no new watch, and nothing that is "
        "written a second later on a watch that is open. Source: the role-based access control "
        "of etcd v3, and its advisories: GHSA-xg4h-6gfc-h4m8 (a user with the right to read "
        "one key could watch everything from that key on), CVE-2026-33343 (transactions in "
        "transactions), CVE-2026-33413 (calls without a token), CVE-2026-44283 (options of "
        "puts in a transaction), CVE-2023-32082 (the keys of a lease).",
}};

}  // namespace
}  // namespace watchproof
