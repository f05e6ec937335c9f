// SPDX-License-Identifier: Apache-2.0
// Exclusive: a lock has one holder at a time, and an election one leader.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/checkers/checker.h"
#include "harness/checkers/phrases.h"

namespace watchproof {
namespace {

class Exclusive final : public Checker {
 public:
  void CallEnded(const RecordedCall& call, std::string_view, std::optional<Revision>) override {
    switch (call.method) {
      case Method::kLeaseGrant:
      case Method::kLeaseKeepAlive:
      case Method::kLeaseTimeToLive:
        return FollowLease(call);
      case Method::kLeaseLeases:
        return FollowLeases(call);
      case Method::kLock:
      case Method::kCampaign:
        return call.outcome == CallOutcome::kAnswered ? Claim(call) : void();
      case Method::kUnlock:
      case Method::kResign:
        return Release(call);
      default:
        return;
    }
  }

 private:
  struct Lease {
    Duration until{};  // at the earliest
    Line granted{};
    std::optional<Where> ended{};  // it was known to have by then
  };
  struct Holder {
    std::string name;
    bool election = false;
    std::string key;
    std::int64_t lease = 0;
    Where held;
    Line released{};  // where that was asked for; 0: it was not
  };

  void FollowLease(const RecordedCall& call) {
    LeaseResponseView answer;
    const bool parsed =
        call.outcome == CallOutcome::kAnswered && Parse(call.response.view(), answer).ok();
    const bool gone = call.code == StatusCode::kNotFound || (parsed && answer.ttl <= 0);
    std::int64_t id = answer.id;
    if (LeaseRequestView asked; call.method != Method::kLeaseGrant) {
      if (!Parse(call.request.view(), asked).ok()) return;
      id = asked.id;
    }
    if (gone) return End(leases_[id], call);
    if (!parsed || call.method == Method::kLeaseTimeToLive) return;
    Lease& lease = leases_[id];
    if (call.method == Method::kLeaseGrant) lease = {.granted = call.ended};
    lease.until = call.at - call.took + std::chrono::seconds(answer.ttl);
  }
  void FollowLeases(const RecordedCall& call) {
    LeaseLeasesResponseView list;
    if (call.outcome != CallOutcome::kAnswered || !Parse(call.response.view(), list).ok()) return;
    for (auto& [id, lease] : leases_) {
      const bool listed = std::ranges::count(list.leases, id, &LeaseRequestView::id) > 0;
      if (!listed && lease.granted < call.began) End(lease, call);
    }
  }
  static void End(Lease& lease, const RecordedCall& call) {
    if (!lease.ended) lease.ended = Where{.line = call.ended, .at = call.at};
  }
  // For certain, as it was neither revoked nor could have ended by itself.
  bool Lasts(std::int64_t id, Duration at) const {
    const auto lease = leases_.find(id);
    if (lease == leases_.end() || lease->second.until <= at) return false;
    const auto& known = facts().model.calls().leases();
    const auto revoked = known.find(id);
    return revoked == known.end() || !revoked->second.asked_to_end();
  }

  void Claim(const RecordedCall& call) {
    ClaimRequestView claim;
    if (!Parse(call.request.view(), claim).ok()) return;
    const Holder next{
        .name = std::string(claim.name),
        .election = call.method == Method::kCampaign,
        .key = fmt::format("{}/{:x}", claim.name, static_cast<std::uint64_t>(claim.lease)),
        .lease = claim.lease,
        .held = {.line = call.ended, .at = call.at}};
    for (const Holder& holder : holders_) {
      const bool other = holder.key != next.key && holder.name == next.name;
      if (!other || holder.election != next.election) continue;
      Exercised();
      if (HeldAt(holder, call)) {
        TwoHolders(call, holder);
      } else if (EndedWhileHeld(next, holder, call)) {
        WithoutLease(call, next, holder);
      }
    }
    holders_.push_back(next);
  }

  // The holder has it still. A caller that asked before may have had it before, for as long as its
  // lease lasted, and been answered late.
  bool HeldAt(const Holder& holder, const RecordedCall& call) const {
    ClaimRequestView claim;
    const bool parsed = Parse(call.request.view(), claim).ok();
    const bool after = call.began > holder.held.line || (parsed && Lasts(claim.lease, call.at));
    return after && holder.released.value == 0 && !ReleaseIsOut(holder) &&
           Lasts(holder.lease, call.at);
  }
  bool ReleaseIsOut(const Holder& holder) const {
    return std::ranges::any_of(facts().model.calls().out(), [&holder](const auto& one) {
      return KeyReleasedBy(*one.second) == holder.key;
    });
  }
  // It was asked for while the holder had it, and its lease ended before the holder released it.
  bool EndedWhileHeld(const Holder& next, const Holder& holder, const RecordedCall& call) const {
    const auto lease = leases_.find(next.lease);
    if (lease == leases_.end() || !lease->second.ended) return false;
    const Where ended = *lease->second.ended;
    return call.began > holder.held.line && ended.line > holder.held.line &&
           (holder.released.value == 0 || ended.line < holder.released) &&
           Lasts(holder.lease, ended.at);
  }

  void Release(const RecordedCall& call) {
    const std::string key = KeyReleasedBy(call);
    for (Holder& holder : holders_) {
      if (holder.key == key && holder.released.value == 0) holder.released = call.began;
    }
  }
  static std::string KeyReleasedBy(const RecordedCall& call) {
    ClaimRequestView unlock;
    ResignRequestView resign;
    if (call.method == Method::kUnlock && Parse(call.request.view(), unlock).ok()) {
      return std::string(unlock.name);
    }
    if (call.method == Method::kResign && Parse(call.request.view(), resign).ok()) {
      return std::string(resign.leader.key);
    }
    return {};
  }

  static std::string_view What(const RecordedCall& call) {
    return call.method == Method::kLock ? "the lock" : "the election";
  }
  void TwoHolders(const RecordedCall& call, const Holder& holder) const {
    Add(call,
        Draft{.expected = fmt::format("{} to be kept by the holder of {}, which has a lease "
                                      "and has not released it",
                                      What(call), Quoted(holder.key)),
              .observed = fmt::format("it was won by another caller in line {}", call.ended.value),
              .evidence = {holder.held.line, call.began, call.ended}});
  }
  void WithoutLease(const RecordedCall& call, const Holder& next, const Holder& holder) const {
    const Where ended = *leases_.at(next.lease).ended;
    Add(call,
        Draft{.expected = fmt::format("{} to be refused to {}: its lease had ended while {} had it",
                                      What(call), Quoted(next.key), Quoted(holder.key)),
              .observed = fmt::format("it was won in line {}", call.ended.value),
              .evidence = {holder.held.line, ended.line, call.began, call.ended},
              .symptom = symptom::HeldWithoutLease{next.election}});
  }

  std::map<std::int64_t, Lease> leases_;
  std::vector<Holder> holders_;
};

const CheckerRegistration<Exclusive> kExclusive{{
    .guarantee = Guarantee("Exclusive"),
    .place = 575,
    .gravity = Gravity::kData,
    .of_driver = true,
    .promise = "A lock has one holder at a time, and an election one leader.",
    .impact = "Two controllers of a Kubernetes cluster act on the same objects, each of which "
              "takes itself for the only one.",
    .explain = "Callers ask the server for a lock, or run in an election, each with a lease of its "
               "own. One that is answered has it until it asks to release it, or its lease may "
               "have ended: the judge counts from when the lease was asked for or kept alive last. "
               "Until then no other caller that asked later may be answered. A caller that has "
               "lost its lease while another one had the lock never gets it. Source: etcd's "
               "services v3lock and v3election, which promise mutual exclusion for as long as the "
               "lease lasts. What a holder writes is safe only with a compare of the revision at "
               "which the key of its lock was created.",
}};

}  // namespace
}  // namespace watchproof
