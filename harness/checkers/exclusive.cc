// SPDX-License-Identifier: Apache-2.0
// Exclusive: a lock has one holder at a time, and an election one leader, which is the one named.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/checkers/checker.h"
#include "harness/checkers/phrases.h"

namespace watchproof {
namespace {

// Clauses of the contract.
constexpr std::string_view kLockedWithLease = "X-4";
constexpr std::string_view kElectedWithLease = "X-5";
constexpr std::string_view kElectedAnswer = "X-6";
constexpr std::string_view kLeaderNamed = "X-7";
constexpr std::string_view kProclaims = "X-8";
constexpr std::string_view kObserved = "X-11";

class Exclusive final : public Checker {
 public:
  void CallEnded(const RecordedCall& call, std::string_view, std::optional<Revision>) override {
    if (call.method == Method::kCampaign || call.method == Method::kProclaim) Note(call, said_);
    switch (call.method) {
      case Method::kLeaseGrant:
      case Method::kLeaseKeepAlive:
      case Method::kLeaseTimeToLive:
      case Method::kLeaseRevoke:
        return FollowLease(call);
      case Method::kLeaseLeases:
        return FollowLeases(call);
      case Method::kLock:
      case Method::kCampaign:
        return call.outcome == CallOutcome::kAnswered ? Claim(call) : void();
      case Method::kUnlock:
      case Method::kResign:
        return Release(call);
      case Method::kProclaim:
        return Proclaimed(call);
      case Method::kLeader:
        return Named(call);
      case Method::kObserve:
        return Observed(call);
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
    Line released{};    // where that was asked for; 0: it was not
    Line given_back{};  // where that was answered; 0: it was not
    // Those of its key. 0, or empty: not known.
    std::int64_t created = 0;
    std::optional<std::string> value{};
    Line since{};  // where it was last proclaimed, or won
  };

  using Values = std::map<std::string, std::set<std::string>>;  // by key
  // What a caller was shown last of an election that it follows.
  struct Shown {
    std::int64_t created = 0;
    std::int64_t modified = 0;
    Line line{};
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
    Holder next{.name = std::string(claim.name),
                .election = call.method == Method::kCampaign,
                .key = KeyOf(claim),
                .lease = claim.lease,
                .held = {.line = call.ended, .at = call.at},
                .since = call.ended};
    if (next.election) next.value = std::string(claim.value);
    CheckKey(call, next);
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
    holders_.push_back(std::move(next));
  }
  // What was won is answered with its key.
  void CheckKey(const RecordedCall& call, Holder& next) const {
    LockResponseView locked;
    CampaignResponseView elected;
    const bool parsed = next.election ? Parse(call.response.view(), elected).ok()
                                      : Parse(call.response.view(), locked).ok();
    if (!parsed) return;
    const std::string_view key = next.election ? elected.leader.key : locked.key;
    if (key != next.key) {
      Add(call, {.expected = fmt::format("the key of the claim, {}", Quoted(next.key)),
                 .observed = fmt::format("{} in line {}", Quoted(key), call.ended.value),
                 .evidence = {call.began, call.ended},
                 .clause = next.election ? kElectedAnswer : std::string_view()});
    }
    if (!next.election) return;
    const LeaderKeyView& leader = elected.leader;
    next.created = leader.created;
    if (leader.name == next.name && leader.lease == next.lease && leader.created > 0) return;
    Add(call, {.expected = fmt::format("a leader of {} with lease {}, and the revision of its key",
                                       Quoted(next.name), next.lease),
               .observed =
                   fmt::format("one of {} with lease {} and revision {} in line {}",
                               Quoted(leader.name), leader.lease, leader.created, call.ended.value),
               .evidence = {call.began, call.ended},
               .clause = kElectedAnswer});
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
      if (holder.key != key) continue;
      if (holder.released.value == 0) holder.released = call.began;
      if (call.outcome == CallOutcome::kAnswered) holder.given_back = call.ended;
    }
  }

  // The service answers what it refuses without a code of its own.
  static bool Refused(const RecordedCall& call) {
    return call.outcome == CallOutcome::kRefused || call.code == StatusCode::kUnknown;
  }
  // All through the call.
  bool Leads(const Holder& holder, const RecordedCall& call) const {
    return holder.election && holder.held.line < call.began && holder.released.value == 0 &&
           !ReleaseIsOut(holder) && Lasts(holder.lease, call.at);
  }
  // Where its lease was known to have ended before the call began.
  std::optional<Where> EndedBefore(const Holder& holder, const RecordedCall& call) const {
    const auto lease = leases_.find(holder.lease);
    if (lease == leases_.end() || !lease->second.ended) return std::nullopt;
    return lease->second.ended->line < call.began ? lease->second.ended : std::nullopt;
  }
  // A caller may have won once more with the same lease: that is the last one.
  Holder* Latest(std::string_view key) {
    for (std::size_t i = holders_.size(); i > 0; --i) {
      if (holders_[i - 1].election && holders_[i - 1].key == key) return &holders_[i - 1];
    }
    return nullptr;
  }

  void Proclaimed(const RecordedCall& call) {
    ProclaimRequestView asked;
    if (!Parse(call.request.view(), asked).ok()) return;
    Holder* const holder = Latest(asked.leader.key);
    if (holder == nullptr) return;
    // What was said meanwhile by others, or has no certain outcome, may be the value.
    const bool alone = call.began > holder->since;
    if (!Refused(call)) {
      holder->value.reset();
      if (call.outcome == CallOutcome::kAnswered && alone) holder->value = asked.value;
      holder->since = call.ended;
    }
    if (call.outcome == CallOutcome::kAnswered) {
      Exercised();
      if (holder->given_back.value > 0 && holder->given_back < call.began) {
        Add(call, {.expected = fmt::format("a refusal: {} was given back", Quoted(holder->key)),
                   .observed = fmt::format("an answer in line {}", call.ended.value),
                   .evidence = {holder->given_back, call.began, call.ended},
                   .clause = kProclaims});
      } else if (const auto ended = EndedBefore(*holder, call)) {
        Add(call,
            {.expected = fmt::format("a refusal: the lease of {} has ended", Quoted(holder->key)),
             .observed = fmt::format("an answer in line {}", call.ended.value),
             .evidence = {ended->line, call.began, call.ended},
             .clause = kProclaims});
      }
    } else if (Refused(call) && Leads(*holder, call)) {
      Add(call, {.expected = fmt::format("an answer: {} leads, with a lease", Quoted(holder->key)),
                 .observed = fmt::format("a refusal in line {}", call.ended.value),
                 .evidence = {holder->held.line, call.began, call.ended},
                 .clause = kProclaims});
    }
  }

  void Named(const RecordedCall& call, std::string_view clause = kLeaderNamed) {
    ClaimRequestView asked;
    LeaderResponseView named;
    const bool answered = call.outcome == CallOutcome::kAnswered;
    if (!Parse(call.request.view(), asked).ok() || !(answered || Refused(call))) return;
    if (answered && !Parse(call.response.view(), named).ok()) return;
    for (const Holder& holder : holders_) {
      if (holder.name != asked.name || named.kv.key == holder.key || !Leads(holder, call)) continue;
      Add(call,
          {.expected = fmt::format("{}, which leads with a lease, to be named", Quoted(holder.key)),
           .observed = fmt::format("{} in line {}", answered ? Quoted(named.kv.key) : "a refusal",
                                   call.ended.value),
           .evidence = {holder.held.line, call.began, call.ended},
           .clause = clause});
    }
    if (!answered) return;
    Exercised();
    if (const Holder* const holder = Latest(named.kv.key))
      CheckNamed(call, *holder, named.kv, clause);
  }
  void CheckNamed(const RecordedCall& call, const Holder& holder, const KeyValueView& named,
                  std::string_view clause) const {
    if (holder.given_back.value > 0 && holder.given_back < call.began) {
      Add(call,
          {.expected = fmt::format("no leader that has resigned, as {} has", Quoted(holder.key)),
           .observed = fmt::format("it is named in line {}", call.ended.value),
           .evidence = {holder.given_back, call.began, call.ended},
           .clause = clause});
    } else if (const auto ended = EndedBefore(holder, call)) {
      Add(call, {.expected = fmt::format("no leader that has lost its lease, as {} has",
                                         Quoted(holder.key)),
                 .observed = fmt::format("it is named in line {}", call.ended.value),
                 .evidence = {ended->line, call.began, call.ended},
                 .clause = clause});
    } else if (holder.created > 0 && Leads(holder, call) &&
               (named.create_revision != holder.created || named.lease != holder.lease)) {
      Add(call, {.expected = fmt::format("{} of revision {} and lease {}", Quoted(holder.key),
                                         holder.created, holder.lease),
                 .observed = fmt::format("revision {} and lease {} in line {}",
                                         named.create_revision, named.lease, call.ended.value),
                 .evidence = {holder.held.line, call.ended},
                 .clause = clause});
    } else if (holder.value && Leads(holder, call) && holder.since < call.began &&
               !ProclaimIsOut(holder) && named.value != *holder.value) {
      Add(call, {.expected = fmt::format("the leader's value {}", Quoted(*holder.value)),
                 .observed = fmt::format("{} in line {}", Quoted(named.value), call.ended.value),
                 .evidence = {holder.since, call.began, call.ended},
                 .clause = clause});
    }
  }

  // What is sent may be late, but is what a leader said, in the order in which they led. Only the
  // first message is an answer to what is asked.
  void Observed(const RecordedCall& call) {
    LeaderResponseView shown;
    const bool answered = call.outcome == CallOutcome::kAnswered;
    if (!answered || !Parse(call.response.view(), shown).ok()) {
      shown_.erase(call.client);
      return;
    }
    const auto last = shown_.find(call.client);
    if (last == shown_.end()) {
      Named(call, kObserved);
    } else {
      Exercised();
      CheckNext(call, shown.kv, last->second);
    }
    CheckSaid(call, shown.kv);
    shown_[call.client] = {shown.kv.create_revision, shown.kv.mod_revision, call.ended};
  }
  void CheckNext(const RecordedCall& call, const KeyValueView& shown, const Shown& last) const {
    const std::pair before(last.created, last.modified);
    if (std::pair(shown.create_revision, shown.mod_revision) <= before) {
      Add(call,
          {.expected = fmt::format("a leader of a later revision than {}, or what it said "
                                   "after {}",
                                   last.created, last.modified),
           .observed = fmt::format("{} of revision {}, said at {}, in line {}", Quoted(shown.key),
                                   shown.create_revision, shown.mod_revision, call.ended.value),
           .evidence = {last.line, call.ended},
           .clause = kObserved});
    }
    for (const Holder& holder : holders_) {
      const bool later = holder.created > 0 && shown.create_revision > holder.created;
      if (!later || !shown.key.starts_with(holder.name + "/") || !Leads(holder, call)) continue;
      Add(call, {.expected = fmt::format("no other leader than {}, which leads with a lease",
                                         Quoted(holder.key)),
                 .observed = fmt::format("{} in line {}", Quoted(shown.key), call.ended.value),
                 .evidence = {holder.held.line, call.began, call.ended},
                 .clause = kObserved});
    }
  }
  // A campaign puts its value when it begins, and may not have been answered yet.
  void CheckSaid(const RecordedCall& call, const KeyValueView& shown) {
    Values said;
    for (const auto& [id, one] : facts().model.calls().out()) Note(*one, said);
    const std::string key(shown.key);
    const std::string value(shown.value);
    if (said_[key].contains(value) || said[key].contains(value)) return;
    Add(call, {.expected = "a leader that has campaigned, with a value that it said",
               .observed = fmt::format("{} with {} in line {}", Quoted(shown.key),
                                       Quoted(shown.value), call.ended.value),
               .evidence = {call.began, call.ended},
               .clause = kObserved});
  }
  static void Note(const RecordedCall& call, Values& said) {
    ClaimRequestView claim;
    ProclaimRequestView proclaim;
    if (call.method == Method::kCampaign && Parse(call.request.view(), claim).ok()) {
      said[KeyOf(claim)].emplace(claim.value);
    } else if (call.method == Method::kProclaim && Parse(call.request.view(), proclaim).ok()) {
      said[std::string(proclaim.leader.key)].emplace(proclaim.value);
    }
  }
  static std::string KeyOf(const ClaimRequestView& claim) {
    return fmt::format("{}/{:x}", claim.name, static_cast<std::uint64_t>(claim.lease));
  }

  bool ProclaimIsOut(const Holder& holder) const {
    return std::ranges::any_of(facts().model.calls().out(), [&holder](const auto& one) {
      ProclaimRequestView proclaim;
      const RecordedCall& call = *one.second;
      return call.method == Method::kProclaim && Parse(call.request.view(), proclaim).ok() &&
             proclaim.leader.key == holder.key;
    });
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
              .symptom = symptom::HeldWithoutLease{next.election},
              .clause = next.election ? kElectedWithLease : kLockedWithLease});
  }

  std::map<std::int64_t, Lease> leases_;
  std::vector<Holder> holders_;
  Values said_;
  std::map<std::uint32_t, Shown> shown_;  // by client
};

const CheckerRegistration<Exclusive> kExclusive{{
    .guarantee = Guarantee("Exclusive"),
    .place = 575,
    .gravity = Gravity::kData,
    .of_driver = true,
    .clause = "X-1",
    .impact = "Two controllers of a Kubernetes cluster act on the same objects, each of which "
              "takes itself for the only one.",
    .explain =
        "Callers ask the server for a lock, or run in an election, each with a lease of its "
        "own. One that is answered has it until it asks to release it, or its lease may "
        "have ended: the judge counts from when the lease was asked for or kept alive last. "
        "Until then no other caller that asked later may be answered. A caller that has "
        "lost its lease while another one had the lock never gets it. Whoever is asked for the "
        "leader of an election names the one that leads, with its key, lease and last "
        "value; one that has resigned proclaims nothing. Whoever follows an election is sent the "
        "one that leads, then each later one, and what it says, in this order. Source: etcd's "
        "services v3lock and v3election, which promise mutual exclusion for as long as the "
        "lease lasts. What a holder writes is safe only with a compare of the revision at "
        "which the key of its lock was created.",
}};

}  // namespace
}  // namespace watchproof
