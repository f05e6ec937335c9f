// SPDX-License-Identifier: Apache-2.0
// Leased: a lease lasts until its time is over or it is revoked, and is shown as it is.
#include <algorithm>
#include <map>
#include <set>

#include "harness/checkers/checker.h"
#include "harness/checkers/phrases.h"
#include "harness/model/refusals.h"

namespace watchproof {
namespace {

constexpr std::chrono::seconds kRounded{1};  // the time that is left is shown in whole seconds
// How long after its time a lease may last: etcd looks for overdue leases twice a second, and
// begins their time anew when it is restarted or its leader changes.
constexpr int kRenewals = 2;
constexpr std::chrono::seconds kLate{6};

// Clauses of the contract. A lease that has ended too early breaks none of them, but the guarantee.
constexpr std::string_view kInUse = "L-4";
constexpr std::string_view kGoneIsRefused = "L-6";
constexpr std::string_view kKept = "L-7";
constexpr std::string_view kGoneIsNotKept = "L-8";
constexpr std::string_view kDescribed = "L-9";
constexpr std::string_view kKeysNamed = "L-10";
constexpr std::string_view kListed = "L-11";
constexpr std::string_view kGranted = "L-13";

class Leased final : public Checker {
 public:
  void CallEnded(const RecordedCall& call, std::string_view, std::optional<Revision>) override {
    const bool answered = call.outcome == CallOutcome::kAnswered;
    switch (call.method) {
      case Method::kLeaseGrant:
        return answered ? Grant(call) : LoseGrant(call);
      case Method::kPut:
      case Method::kTxn:
        if (call.code == StatusCode::kNotFound) WriteRefused(call);
        return answered ? Write(call) : void();
      case Method::kLeaseRevoke:
        return Revoke(call);
      case Method::kLeaseKeepAlive:
        return KeepAlive(call);
      case Method::kRange:
        return answered ? Read(call) : void();
      case Method::kLeaseLeases:
        return answered ? List(call) : void();
      case Method::kLeaseTimeToLive:
        return answered || call.code == StatusCode::kNotFound ? Describe(call) : void();
      default:
        return;
    }
  }

  // The keys of a lease that ended by itself.
  void Compared(WatchIndex watch, const Response& response,
                const std::vector<Comparison>& comparisons) override {
    const ExpectedList& expected = *facts().comparer.expected(watch);
    for (const Comparison& comparison : comparisons) {
      const Change* const change = Matched(facts().comparer, expected, comparison);
      if (change == nullptr || change->ended_lease == 0) continue;
      const auto found = leases_.find(change->ended_lease);
      if (found == leases_.end() || AskedToEnd(found->first)) continue;
      const Lease& lease = found->second;
      if (change->revision <= lease.after) continue;  // the end of one that had its number before
      Exercised();
      const Duration age = response.where.at - lease.asked_at;
      if (age >= lease.time) continue;
      Add(watch, Draft{.expected = fmt::format("the keys of lease {} to be kept for {} s",
                                               change->ended_lease, lease.time.count()),
                       .observed = fmt::format("they were deleted at revision {}, {} after the "
                                               "lease was asked for, and no call revoked it",
                                               change->revision, Milliseconds(age)),
                       .evidence = {lease.kept.value != 0 ? lease.kept : lease.granted},
                       .where = response.where,
                       .symptom = symptom::LeaseEnded{lease.granted, response.where.at}});
    }
  }

 private:
  struct Lease {
    std::chrono::seconds time{};
    Duration asked_at{};  // where its time began at the earliest, and at the latest
    Duration begun_by{};
    Line granted{};
    Line kept{};             // alive, last; 0: not yet
    Revision after{};        // of the store when it was granted
    Line revoked{};          // 0: not yet
    bool uncertain = false;  // a revocation without an answer
    bool may_last = false;   // a keep-alive without one
    bool lost = false;       // it is known to have ended early: the rest follows from that
  };
  // A member answers from its own store; after a linearizable read that has what came before it.
  struct Reading {
    Line began{};
    Revision revision{};
    Bytes whole{};  // the answer, if it shows every key
  };

  void Grant(const RecordedCall& call) {
    LeaseGrantRequestView asked;
    LeaseResponseView granted;
    if (!Parse(call.request.view(), asked).ok() || !Parse(call.response.view(), granted).ok())
      return;
    if (asked.id != 0) CheckId(call, asked.id, granted.id);
    if (granted.ttl < asked.ttl) {
      Add(call, Draft{.expected = fmt::format("at least the {} s that were asked for", asked.ttl),
                      .observed = fmt::format("{} s in line {}", granted.ttl, call.ended.value),
                      .evidence = {call.began, call.ended},
                      .clause = kGranted});
    }
    const auto before = leases_.find(asked.id);
    if (asked.id != 0 && before != leases_.end()) RefuseInUse(call, asked.id, before->second);
    leases_[granted.id] = {.time = std::chrono::seconds(granted.ttl),
                           .asked_at = call.at - call.took,
                           .begun_by = call.at,
                           .granted = call.ended,
                           .after = call.revision};
  }
  void RefuseInUse(const RecordedCall& call, std::int64_t id, const Lease& lease) const {
    if (!CannotHaveEnded(lease, call) || AskedToEnd(id)) return;
    Wrong(call, lease, fmt::format("a grant of lease {} to be refused: it is there", id),
          "it was granted again", {.clause = kInUse});
  }
  // It may have been carried out, or may be later.
  void LoseGrant(const RecordedCall& call) {
    LeaseGrantRequestView asked;
    if (call.outcome != CallOutcome::kOpen) return;
    if (Parse(call.request.view(), asked).ok()) lost_grants_.insert(asked.id);
  }
  // An id that the store chooses is none that it has given before.
  bool MayBeGrantedAnew(std::int64_t id) const {
    return lost_grants_.contains(id) || IsOut(Method::kLeaseGrant);
  }
  void CheckId(const RecordedCall& call, std::int64_t asked, std::int64_t answered) const {
    if (answered == asked) return;
    Add(call,
        Draft{.expected = fmt::format("an answer about lease {}, as it was asked for", asked),
              .observed = fmt::format("one about lease {} in line {}", answered, call.ended.value),
              .evidence = {call.began, call.ended}});
  }
  // For its leases: then one of them must have been over.
  void WriteRefused(const RecordedCall& call) {
    const std::vector<std::int64_t> named = ConditionsOf(call.method, call.request.view()).leases;
    const bool all = std::ranges::all_of(named, [&](std::int64_t id) {
      const auto lease = leases_.find(id);
      return lease != leases_.end() && !AskedToEnd(id) && CannotHaveEnded(lease->second, call);
    });
    if (named.empty() || !all) return;
    NotFoundTooEarly(call, named.front(), leases_.at(named.front()),
                     call.method == Method::kPut ? "a put on" : "a transaction with puts on");
  }
  // Its puts on leases: none of these may be over.
  void Write(const RecordedCall& call) const {
    const auto done = AcknowledgedEffect(call.method, call.request.view(), call.response.view());
    if (!done.has_value()) return;
    for (const Operation& put : done->operations) {
      if (put.deletes || put.lease == 0) continue;
      RefuseGone(call, put.lease, fmt::format("a put on lease {}", put.lease));
    }
  }
  void RefuseGone(const RecordedCall& call, std::int64_t id, const std::string& what) const {
    const auto lease = leases_.find(id);
    if (lease == leases_.end()) {
      // Without any grant it may be of a store from before the recording.
      if (KnowsAll() && !leases_.empty())
        WrongOne(call, fmt::format("{} to be refused: it was never granted", what));
    } else if (lease->second.revoked.value != 0 && lease->second.revoked < call.began &&
               !MayBeGrantedAnew(id)) {
      Wrong(call, lease->second, fmt::format("{} to be refused: it was revoked", what),
            "it was answered", {.clause = kGoneIsRefused});
    }
  }
  void WrongOne(const RecordedCall& call, std::string expected) const {
    Add(call, Draft{.expected = std::move(expected),
                    .observed = fmt::format("it was answered in line {}", call.ended.value),
                    .evidence = {call.began, call.ended},
                    .clause = kGoneIsRefused});
  }

  void NotFoundTooEarly(const RecordedCall& call, std::int64_t id, Lease& lease,
                        std::string_view what) {
    if (!CannotHaveEnded(lease, call)) return;
    lease.lost = true;
    Wrong(call, lease,
          fmt::format("{} lease {} of {} s to be taken: it was granted or kept alive {} ago", what,
                      id, lease.time.count(), Milliseconds(call.at - lease.asked_at)),
          "it was not found", {.symptom = symptom::LeaseEnded{lease.granted, lease.begun_by}});
  }

  void Revoke(const RecordedCall& call) {
    if (call.outcome == CallOutcome::kAnswered) {
      RefuseGone(call, call.named, fmt::format("a revocation of lease {}", call.named));
    }
    const auto lease = leases_.find(call.named);
    if (lease == leases_.end()) return;
    const bool only = facts().model.calls().leases().at(call.named).revocations.size() == 1;
    if (call.code == StatusCode::kNotFound && only) {
      NotFoundTooEarly(call, lease->first, lease->second, "a revocation of");
    }
    if (call.outcome == CallOutcome::kAnswered) lease->second.revoked = call.ended;
    if (call.outcome != CallOutcome::kAnswered) lease->second.uncertain = true;
  }

  // Its time begins anew, for as long as it was granted.
  void KeepAlive(const RecordedCall& call) {
    const auto found = leases_.find(call.named);
    if (found == leases_.end()) return;
    Lease& lease = found->second;
    LeaseResponseView kept;
    if (call.outcome != CallOutcome::kAnswered || !Parse(call.response.view(), kept).ok()) {
      lease.may_last = lease.may_last || call.outcome == CallOutcome::kOpen;
      return;
    }
    CheckId(call, found->first, kept.id);
    const std::string observed =
        kept.ttl > 0 ? fmt::format("{} s from now on", kept.ttl) : "it has ended";
    if (kept.ttl > 0 && Revoked(found->first, lease, call)) {
      return Wrong(call, lease, fmt::format("no lease {}: it was revoked", found->first), observed,
                   {.clause = kGoneIsNotKept});
    }
    const bool lasts = Lasts(found->first, lease, call);
    if (lasts) Exercised();
    lease.lost = kept.ttl <= 0 && (lasts || lease.lost);
    if (kept.ttl != lease.time.count() && (lasts || kept.ttl > 0)) {
      return Wrong(
          call, lease,
          fmt::format("lease {} to be kept for {} s", found->first, lease.time.count()), observed,
          kept.ttl > 0 ? Draft{.clause = kKept}
                       : Draft{.symptom = symptom::LeaseEnded{lease.granted, lease.begun_by}});
    }
    if (kept.ttl <= 0) return;
    lease.asked_at = std::max(lease.asked_at, call.at - call.took);
    lease.begun_by = call.at;
    lease.kept = call.ended;
  }

  void Read(const RecordedCall& call) {
    RangeRequestView range;
    if (call.serializable || !Parse(call.request.view(), range).ok()) return;
    const std::string_view every("\0", 1);
    const bool whole = call.named == 0 && range.key == every && range.range_end == every &&
                       !range.count_only && !range.keys_only && !range.filtered();
    readings_[call.client] = {
        .began = call.began, .revision = call.revision, .whole = whole ? call.response : Bytes()};
  }

  void List(const RecordedCall& call) {
    LeaseLeasesResponseView answer;
    if (!Parse(call.response.view(), answer).ok()) return;
    std::set<std::int64_t> listed;
    for (const LeaseRequestView& one : answer.leases) listed.insert(one.id);
    for (auto& [id, lease] : leases_) {
      const bool shown = listed.contains(id);
      if (Lasts(id, lease, call)) {
        Exercised();
        lease.lost = !shown;
        if (!shown) {
          Wrong(call, lease, fmt::format("lease {} of {} s to be listed", id, lease.time.count()),
                "it is not", {.symptom = symptom::LeaseEnded{lease.granted, lease.begun_by}});
        }
      } else if (shown && Revoked(id, lease, call)) {
        Wrong(call, lease, fmt::format("lease {} not to be listed: it was revoked", id), "it is",
              {.clause = kListed});
      } else if (shown && Overdue(id, lease, call)) {
        Wrong(call, lease, fmt::format("lease {} of {} s to end by itself", id, lease.time.count()),
              fmt::format("it is listed {} after its time began",
                          Milliseconds(call.at - lease.begun_by)),
              {.by_silence = true});
      }
    }
    if (!KnowsAll()) return;
    for (const std::int64_t id : listed) {
      if (leases_.contains(id)) continue;
      Add(call, Draft{.expected = "only leases that were granted",
                      .observed = fmt::format("lease {} in line {}", id, call.ended.value),
                      .evidence = {call.began, call.ended},
                      .clause = kListed});
    }
  }

  void Describe(const RecordedCall& call) {
    LeaseRequestView asked;
    LeaseResponseView answer;
    if (!Parse(call.request.view(), asked).ok() || !Parse(call.response.view(), answer).ok())
      return;
    // etcd describes one that has ended by a negative time; some stores find none.
    if (call.code == StatusCode::kNotFound) {
      answer.ttl = -1;
    } else {
      CheckId(call, asked.id, answer.id);
    }
    const auto found = leases_.find(asked.id);
    if (found == leases_.end()) return;
    const Lease& lease = found->second;
    if (Revoked(asked.id, lease, call) && answer.ttl >= 0) {
      return Wrong(call, lease, fmt::format("no lease {}: it was revoked", asked.id),
                   fmt::format("{} s are left of it", answer.ttl), {.clause = kDescribed});
    }
    if (!Lasts(asked.id, lease, call)) return;
    Exercised();
    const auto least = lease.time - (call.at - lease.asked_at) - kRounded;
    const std::chrono::seconds left(answer.ttl);
    if (answer.granted != lease.time.count() || left > lease.time || left < least) {
      Draft wrong{.symptom = symptom::TimeLeft{answer.ttl, answer.granted}, .clause = kDescribed};
      if (answer.ttl < 0) wrong = {.symptom = symptom::LeaseEnded{lease.granted, lease.begun_by}};
      return Wrong(call, lease,
                   fmt::format("lease {} with {} s, granted or kept alive {} ago", asked.id,
                               lease.time.count(), Milliseconds(call.at - lease.asked_at)),
                   fmt::format("{} s of {} s are left", answer.ttl, answer.granted),
                   std::move(wrong));
    }
    CompareKeys(call, lease, asked, answer);
  }

  // With those that a read of the same revision shows.
  void CompareKeys(const RecordedCall& call, const Lease& lease, const LeaseRequestView& asked,
                   const LeaseResponseView& answer) const {
    const auto reading = readings_.find(call.client);
    if (!asked.keys || reading == readings_.end() || reading->second.revision != call.revision)
      return;
    RangeResponseView range;
    if (!Parse(reading->second.whole.view(), range).ok() || range.header.revision == 0 ||
        range.more) {
      return;
    }
    std::set<std::string_view> expected;
    for (const KeyValueView& kv : range.kvs) {
      if (kv.lease == asked.id) expected.insert(kv.key);
    }
    const std::set<std::string_view> shown(answer.keys.begin(), answer.keys.end());
    if (shown == expected && answer.keys.size() == shown.size()) return;
    Wrong(call, lease,
          fmt::format("the {} key{} that a read at revision {} shows on lease {}", expected.size(),
                      expected.size() == 1 ? "" : "s", call.revision, asked.id),
          fmt::format("{} key{}{}", answer.keys.size(), answer.keys.size() == 1 ? "" : "s",
                      shown.empty() ? "" : ", the first is " + Quoted(*shown.begin())),
          {.clause = kKeysNamed});
  }

  // For certain, to the member that answers the call.
  bool Knows(Line of, const RecordedCall& call) const {
    const auto reading = readings_.find(call.client);
    return of.value != 0 && reading != readings_.end() && of < reading->second.began;
  }
  bool Lasts(std::int64_t id, const Lease& lease, const RecordedCall& call) const {
    return Knows(lease.granted, call) && CannotHaveEnded(lease, call) && !AskedToEnd(id);
  }
  // No other lease can have been granted.
  bool KnowsAll() const {
    return lost_grants_.empty() && !IsOut(Method::kLeaseGrant) && !facts().options.others_compact;
  }
  // But for a revocation that was asked for.
  static bool CannotHaveEnded(const Lease& lease, const RecordedCall& call) {
    return lease.granted < call.began && lease.revoked.value == 0 && !lease.uncertain &&
           !lease.lost && call.at < lease.asked_at + lease.time;
  }
  // By a call that may have no answer yet.
  bool AskedToEnd(std::int64_t id) const {
    return facts().model.calls().leases().at(id).asked_to_end();
  }
  bool IsOut(Method method, std::int64_t lease = 0) const {
    const auto& out = facts().model.calls().out();
    return std::any_of(out.begin(), out.end(), [method, lease](const auto& call) {
      return call.second->method == method && (lease == 0 || call.second->named == lease);
    });
  }
  // A store that is disturbed may be unable to end one, and begin its time anew afterwards.
  bool Overdue(std::int64_t id, const Lease& lease, const RecordedCall& call) const {
    const auto quiet_since = facts().faults.quiet_since();
    return !lease.may_last && !IsOut(Method::kLeaseKeepAlive, id) && quiet_since &&
           call.at > std::max(lease.begun_by, *quiet_since) + lease.time * (1 + kRenewals) + kLate;
  }
  bool Revoked(std::int64_t id, const Lease& lease, const RecordedCall& call) const {
    return Knows(lease.revoked, call) && !MayBeGrantedAnew(id);
  }

  void Wrong(const RecordedCall& call, const Lease& lease, std::string expected,
             std::string observed, Draft draft = {}) const {
    Line before = lease.kept.value != 0 ? lease.kept : lease.granted;
    if (lease.revoked.value != 0) before = lease.revoked;
    draft.expected = std::move(expected);
    draft.observed = fmt::format("{} in line {}", observed, call.ended.value);
    draft.evidence = {before, call.began, call.ended};
    Add(call, std::move(draft));
  }

  std::map<std::int64_t, Lease> leases_;
  std::map<std::uint32_t, Reading> readings_;  // by client, the last one
  std::set<std::int64_t> lost_grants_;         // by the ids that they ask for; 0: the store chooses
};

const CheckerRegistration<Leased> kLeased{{
    .guarantee = Guarantee("Leased"),
    .place = 560,
    .gravity = Gravity::kData,
    .of_driver = true,
    .clause = "L-1",
    .impact = "Kubernetes events, which are on leases, vanish before their time or stay for ever; "
              "so do locks and elections.",
    .explain =
        "A lease that was granted and acknowledged is listed until it is revoked or its "
        "time is over, also after a restart or a change of leader; a revoked one is not, once that "
        "is acknowledged; no key can be put on it, nor on one that was never granted, and a grant "
        "of an id that is in use is refused. Asked for a lease, the store names the time it was "
        "granted "
        "for, what is left of it, rounded down to seconds and never more than was granted "
        "(a restart may begin the time anew), and its keys: those that a read of the same revision "
        "shows on it. A keep-alive begins its time anew, for as long as it was granted. Its keys "
        "are not deleted before its time is over, and no call before that is refused because it "
        "was not found. "
        "Afterwards it may still be listed for a while: "
        "twice its time and six seconds, counted from the end of the last fault. Source: the lease "
        "API of etcd.",
}};

}  // namespace
}  // namespace watchproof
