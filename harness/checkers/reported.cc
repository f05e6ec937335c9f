// SPDX-License-Identifier: Apache-2.0
// Reported: what a member reports of itself, of its alarms and of its fellows agrees with itself,
// with what it reported before, and with what its operators did.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/parse.h"
#include "harness/checkers/checker.h"

namespace watchproof {
namespace {

using AlarmSet = std::set<std::pair<std::int64_t, std::uint64_t>>;  // kinds, of members

// Those that operators have raised.
class RaisedAlarms {
 public:
  void Follow(const RecordedCall& call) {
    AlarmRequestView asked;
    if (call.outcome == CallOutcome::kRefused || !Parse(call.request.view(), asked).ok()) return;
    if (asked.action == kGet) return;
    changed_ = call.ended;
    lost_ = lost_ || call.outcome == CallOutcome::kOpen;
    if (asked.action == kActivate) {
      raised_.insert({asked.kind, asked.member});
    } else {
      raised_.erase({asked.kind, asked.member});
    }
  }
  void LoseTrack() { lost_ = true; }
  // Empty: it is not known what a call met.
  std::optional<AlarmSet> MetBy(const RecordedCall& call, const CallLog& calls) const {
    const bool changing = std::ranges::any_of(calls.out(), [](const auto& one) {
      return one.second->method == Method::kAlarm && !Lists(*one.second);
    });
    if (lost_ || changing || changed_ > call.began) return std::nullopt;
    return raised_;
  }

 private:
  static constexpr std::int64_t kGet = 0;
  static constexpr std::int64_t kActivate = 1;
  static bool Lists(const RecordedCall& call) {
    AlarmRequestView asked;
    return Parse(call.request.view(), asked).ok() && asked.action == kGet;
  }

  AlarmSet raised_;
  Line changed_{};
  bool lost_ = false;
};

// "3.6" of "3.6.16", as a pair. Empty: it is no version.
std::optional<std::pair<int, int>> BranchOf(std::string_view version) {
  const std::size_t dot = version.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const std::string_view rest = version.substr(dot + 1);
  const auto major = ParseNumber<int>(version.substr(0, dot));
  const auto minor = ParseNumber<int>(rest.substr(0, rest.find('.')));
  if (!major || !minor) return std::nullopt;
  return std::pair(*major, *minor);
}

class Reported final : public Checker {
 public:
  void CallEnded(const RecordedCall& call, std::string_view, std::optional<Revision>) override {
    if (call.method == Method::kDowngrade) {
      JudgeDowngrade(call);
      return FollowDowngrade(call);
    }
    const bool answered = call.outcome == CallOutcome::kAnswered;
    if (call.method == Method::kAlarm) {
      alarms_.Follow(call);
      if (answered) JudgeAlarms(call);
    }
    if (!answered) return;
    if (call.method == Method::kStatus) return JudgeStatus(call);
    if (call.method == Method::kHashKv) return JudgeHash(call);
    if (call.method == Method::kSnapshot) return JudgeSnapshot(call);
    if (IsOfMembers(call.method)) return JudgeMembers(call);
    const bool agreed = IsKeyValue(call.method) && !call.serializable;
    if (agreed && call.member != 0) agreed_[call.member] = call.ended;
  }

  void Annotated(const Annotation& annotation, Where) override {
    if (!std::holds_alternative<Restored>(annotation)) return;
    states_.clear();
    agreed_.clear();
    fellows_.clear();
    alarms_.LoseTrack();
  }

 private:
  // What a member reported of itself last.
  struct State {
    Line line{};
    std::string version{};
    std::uint64_t term = 0;  // the higher one, if it named two
    std::uint64_t index = 0;
    std::uint64_t applied = 0;
    std::int64_t quota = 0;
    bool overfull = false;
  };
  struct Fellow {
    Line line{};
    std::string name{};
    std::string peer_urls{};
    std::string client_urls{};
  };

  // Whether the member has run since that line, after which the call was begun.
  bool HasRunSince(Line since, const RecordedCall& call) const {
    if (facts().options.members == 0) return false;  // others may restart it
    return since.value != 0 && since < call.began && facts().faults.quiet_since() &&
           facts().faults.LatestCrash(facts().latest.line) < since;
  }
  void Differs(const RecordedCall& call, std::string expected, std::string observed,
               Line before = {}) const {
    Draft draft{.expected = std::move(expected),
                .observed = fmt::format("{}, in line {}", observed, call.ended.value)};
    if (before.value != 0) draft.evidence.push_back(before);
    draft.evidence.insert(draft.evidence.end(), {call.began, call.ended});
    Add(call, std::move(draft));
  }

  void FollowDowngrade(const RecordedCall& call) {
    constexpr std::int64_t kEnable = 1;
    constexpr std::int64_t kCancel = 2;
    OperatorRequestView asked;
    if (call.outcome == CallOutcome::kRefused || !Parse(call.request.view(), asked).ok()) return;
    const bool answered = call.outcome == CallOutcome::kAnswered;
    if (asked.action == kEnable) {
      downgrade_ = true;
      downgrade_lost_ = downgrade_lost_ || !answered;
      enabled_ = answered ? call.ended : Line();
    } else if (asked.action == kCancel) {
      enabled_ = {};
      // Another member may not know of it yet.
      downgrade_ = downgrade_ && (!answered || downgrade_lost_ || facts().options.members != 1);
    }
  }
  // It names the version of the cluster, which one that is alone, and was always of one release,
  // shares, until it is permitted to become a former one.
  void JudgeDowngrade(const RecordedCall& call) {
    DowngradeResponseView answer;
    const bool answered = call.outcome == CallOutcome::kAnswered;
    if (!answered || !Parse(call.response.view(), answer).ok()) return;
    Exercised();
    const auto branch = BranchOf(answer.version);
    if (!branch) {
      return Differs(call, "the version of the cluster", fmt::format("'{}'", answer.version));
    }
    if (facts().options.members != 1 || states_.size() != 1) return;
    const State& own = states_.begin()->second;
    const auto most = BranchOf(own.version);
    const bool crashed = facts().faults.LatestCrash(facts().latest.line).value != 0;
    if (!most || crashed || !HasRunSince(own.line, call)) return;
    if (*branch == *most || (MayBeDowngraded() && *branch < *most)) return;
    Differs(call, fmt::format("the version of a cluster of one member of version {}", own.version),
            fmt::format("'{}'", answer.version), own.line);
  }
  bool MayBeDowngraded() const {
    const bool by_others = facts().options.members == 0;
    return by_others || downgrade_ ||
           std::ranges::any_of(facts().model.calls().out(), [](const auto& one) {
             return one.second->method == Method::kDowngrade;
           });
  }
  // Only of a single member all alarms are known: it raises none by itself while it has space.
  std::optional<AlarmSet> AlarmsMetBy(const RecordedCall& call) const {
    const bool by_itself = facts().limits.space > 0 || facts().faults.WasArmed("damaged-file");
    if (facts().options.members != 1 || by_itself) return std::nullopt;
    return alarms_.MetBy(call, facts().model.calls());
  }

  void JudgeStatus(const RecordedCall& call) {
    StatusResponseView status;
    const bool read = Parse(call.response.view(), status).ok();
    if (!read || status.header.member_id == 0) return;
    Exercised();
    CheckVersions(call, status);
    CheckErrors(call, status);
    const auto agreed = agreed_.find(status.header.member_id);
    if (agreed != agreed_.end()) CheckRole(call, status, agreed->second);
    State& state = states_[status.header.member_id];
    const bool overfull = status.in_use > status.size;
    if (HasRunSince(state.line, call)) CheckSince(call, status, state);
    state = {.line = call.ended,
             .version = std::string(status.version),
             .term = std::max(status.term, status.header.raft_term),
             .index = status.index,
             .applied = status.applied,
             .quota = status.quota,
             .overfull = overfull};
  }

  void CheckVersions(const RecordedCall& call, const StatusResponseView& status) const {
    const auto branch = BranchOf(status.version);
    const auto storage = BranchOf(status.storage);
    if (!status.storage.empty() && (!storage || (branch && *storage > *branch))) {
      Differs(call,
              fmt::format("a version of its storage that a member of version {} can have",
                          status.version),
              fmt::format("'{}'", status.storage));
    }
    const bool enabled = status.downgrade.enabled;
    if (enabled && !MayBeDowngraded()) {
      Differs(call, "no downgrade to be permitted: none was asked for", "it is");
    }
    // Since etcd 3.6, which names the version of its storage, too.
    const bool due = facts().options.members == 1 && HasRunSince(enabled_, call);
    if (!enabled && due && !status.storage.empty()) {
      Differs(call, "the downgrade to be named that was permitted", "none is", enabled_);
    }
    if (enabled == status.downgrade.target.empty()) {
      Differs(call, fmt::format("{} version to downgrade to", enabled ? "the" : "no"),
              fmt::format("'{}'", status.downgrade.target));
    }
  }

  // A member without a leader reports that, too. Before etcd 3.4 a status names neither errors nor
  // what is carried out of the log.
  void CheckErrors(const RecordedCall& call, const StatusResponseView& status) const {
    const auto raised = AlarmsMetBy(call);
    if (!raised || status.applied == 0) return;
    const std::size_t expected = raised->size() + (status.leader == 0 ? 1U : 0U);
    if (status.errors.size() == expected) return;
    Differs(call,
            fmt::format("{} errors: {} alarms are raised, and it has {} leader", expected,
                        raised->size(), status.leader == 0 ? "no" : "a"),
            fmt::format("{}", status.errors.size()));
  }

  // It has taken part in a decision: so it has a vote, and if it is alone, it leads.
  void CheckRole(const RecordedCall& call, const StatusResponseView& status, Line agreed) const {
    if (status.is_learner) {
      Differs(call, "a member with a vote, as learners answer no such call", "a learner", agreed);
    }
    const bool alone = facts().options.members == 1 && HasRunSince(agreed, call);
    if (!alone || status.leader == status.header.member_id) return;
    Differs(call, "itself as the leader: it is the only member, and has answered a call",
            fmt::format("{:x}", status.leader), agreed);
  }

  void CheckSince(const RecordedCall& call, const StatusResponseView& status,
                  const State& before) const {
    const auto at_least = [&](std::string_view what, std::uint64_t least, std::uint64_t now) {
      if (now >= least) return;
      Differs(call,
              fmt::format("{} of at least {}, as line {} shows", what, least, before.line.value),
              fmt::format("{}", now), before.line);
    };
    at_least("a raft term", before.term, std::min(status.term, status.header.raft_term));
    // What is carried out was committed.
    at_least("a committed index", std::max(before.index, before.applied), status.index);
    at_least("an applied index", before.applied, status.applied);
    if (status.version != before.version) {
      Differs(call, fmt::format("version {}, which it has run with", before.version),
              std::string(status.version), before.line);
    }
    if (status.quota != before.quota) {
      Differs(call, fmt::format("a quota of {} bytes, as before", before.quota),
              fmt::format("{}", status.quota), before.line);
    }
    // The sizes are not read at the same moment.
    if (before.overfull && status.in_use > status.size) {
      Differs(call, fmt::format("at most {} bytes in use, the size of its data", status.size),
              fmt::format("{}, and it was so before", status.in_use), before.line);
    }
  }

  void JudgeHash(const RecordedCall& call) {
    HashKvRequestView asked;
    HashKvResponseView answer;
    const bool read =
        Parse(call.request.view(), asked).ok() && Parse(call.response.view(), answer).ok();
    if (!read) return;
    Exercised();
    const std::int64_t at = asked.revision > 0 ? asked.revision : answer.header.revision;
    if (answer.hashed != 0 && answer.hashed != at) {
      Differs(call, fmt::format("a hash up to revision {}", at),
              fmt::format("one up to revision {}", answer.hashed));
    }
    if (answer.compacted > at) {
      Differs(call, fmt::format("a hash of what is kept up to revision {}", at),
              fmt::format("the store is compacted to {}", answer.compacted));
    }
  }

  void JudgeAlarms(const RecordedCall& call) {
    AlarmRequestView asked;
    AlarmResponseView answer;
    const bool read =
        Parse(call.request.view(), asked).ok() && Parse(call.response.view(), answer).ok();
    if (!read || asked.action != 0) return;
    Exercised();
    AlarmSet listed;
    for (const AlarmView& alarm : answer.alarms) listed.insert({alarm.kind, alarm.member});
    const auto other = [&asked](const auto& one) {
      return asked.kind != 0 && one.first != asked.kind;
    };
    if (std::ranges::any_of(listed, other)) {
      return Differs(call, "alarms of the kind that was asked for", "there are others");
    }
    auto raised = AlarmsMetBy(call);
    // etcd lists those of all members, whichever one is named.
    if (!raised || asked.member != 0) return;
    std::erase_if(*raised, other);
    if (listed == *raised) return;
    Differs(call, fmt::format("the {} alarms that were raised, of their members", raised->size()),
            fmt::format("{}, or of others", listed.size()));
  }

  // Its first piece.
  void JudgeSnapshot(const RecordedCall& call) const {
    SnapshotResponseView piece;
    if (!Parse(call.response.view(), piece).ok()) return;
    if (piece.blob.empty()) Differs(call, "a piece of the data", "none");
    if (facts().options.members != 1 || states_.size() != 1) return;
    const State& own = states_.begin()->second;
    const auto branch = BranchOf(piece.version);
    const auto most = BranchOf(own.version);
    if (piece.version.empty() || !most || !HasRunSince(own.line, call)) return;
    if (branch && *branch <= *most) return;
    Differs(
        call,
        fmt::format("a version of the storage that a member of version {} can have", own.version),
        fmt::format("'{}'", piece.version), own.line);
  }

  // Each change is answered with the list that it has made.
  void JudgeMembers(const RecordedCall& call) {
    if (facts().options.members == 0) return;
    MemberListResponseView list;
    MemberAddResponseView made;
    const bool adds = call.method == Method::kMemberAdd;
    const bool read =
        adds ? Parse(call.response.view(), made).ok() : Parse(call.response.view(), list).ok();
    if (!read) return;
    Exercised();
    for (const MemberView& one : adds ? made.members : list.members) JudgeFellow(call, one);
    if (!adds) return;
    const auto added = std::ranges::find(made.members, made.added.id, &MemberView::id);
    if (added != made.members.end() && added->peer_urls == made.added.peer_urls &&
        added->is_learner == made.added.is_learner)
      return;
    Differs(call, fmt::format("the new member {:x} in the list that it has made", made.added.id),
            "it is not, or otherwise");
  }
  // One that has a vote is at the same place, under the same name. A new one states these once it
  // runs.
  void JudgeFellow(const RecordedCall& call, const MemberView& one) {
    if (one.is_learner) return;
    Fellow& fellow = fellows_[one.id];
    const auto same = [&](std::string_view what, std::string& known, const std::string& now) {
      if (known.empty()) known = now;
      if (now.empty() || known == now) return;
      Differs(call,
              fmt::format("{} {} of member {:x}, as in line {}", what, known, one.id,
                          fellow.line.value),
              now, fellow.line);
    };
    same("the name", fellow.name, std::string(one.name));
    same("the addresses", fellow.peer_urls, Joined(one.peer_urls));
    same("the addresses for clients", fellow.client_urls, Joined(one.client_urls));
    if (fellow.line.value == 0) fellow.line = call.ended;
  }
  static std::string Joined(std::vector<std::string_view> urls) {
    std::ranges::sort(urls);
    std::string text;
    for (const std::string_view url : urls) text.append(text.empty() ? "" : ", ").append(url);
    return text;
  }

  std::map<std::uint64_t, State> states_;    // by member
  std::map<std::uint64_t, Line> agreed_;     // likewise: its last answer that needed the others
  std::map<std::uint64_t, Fellow> fellows_;  // as lists show them
  RaisedAlarms alarms_;
  bool downgrade_ = false;       // was asked for, and not cancelled
  bool downgrade_lost_ = false;  // without a certain outcome: it may come to pass later
  Line enabled_{};               // where it was answered; 0: there is none, or it is not certain
};

const CheckerRegistration<Reported> kReported{{
    .guarantee = Guarantee("Reported"),
    .place = 164,
    .gravity = Gravity::kFields,
    .of_driver = true,
    .clause = "M-2",
    .impact = "The operators of the store of a Kubernetes cluster see a leader, a size, an alarm "
              "or a version that it has not, and act on it.",
    .explain =
        "At the beginning, and at its end twice, each member is asked for its status; some cases "
        "ask more often, and for alarms, members and hashes. While the member runs, "
        "its version and its quota stay the same, and its raft term, the index of its log and what "
        "of it is carried out do not go back; nothing is carried out that is not committed. It "
        "uses no more bytes than it has. A member that has answered a linearizable call is no "
        "learner, and leads if it is alone. An alarm that was raised is listed, and is among the "
        "errors of the status, until it is disarmed, also after a restart; there are no others. No "
        "downgrade is under way that was not asked for, or was cancelled, and the version of the "
        "storage is "
        "not above that of the member. A hash names the revision up to which it goes. A member "
        "with a vote is listed with one name and the same addresses. Source: the "
        "Maintenance and Cluster services of etcd's API.",
}};

}  // namespace
}  // namespace watchproof
