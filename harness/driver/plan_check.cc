// SPDX-License-Identifier: Apache-2.0
#include "harness/driver/plan_check.h"

#include <nlohmann/json.hpp>
#include <set>

#include "harness/base/escape.h"
#include "harness/faults/fault.h"

namespace watchproof {
namespace {

// Far above every case, and far below what a machine or the time of a case allows.
constexpr std::size_t kMostWatches = 1'000'000;
constexpr std::size_t kMostClients = 10'000;
constexpr std::size_t kMostCalls = 10'000'000;
constexpr std::size_t kMostBytes = 256 << 20;
constexpr int kMostMembers = 9;
constexpr int kMostPasses = 10'000;
constexpr std::chrono::seconds kLongestLease{365 * 24 * 3600};
constexpr Duration kLongestWait = 1h;

template <typename... Args>
Status Bad(fmt::format_string<Args...> format, Args&&... args) {
  return Fail(StatusCode::kInvalidArgument, format, std::forward<Args>(args)...);
}

// Remembers what earlier steps defined. Each step is checked, then remembered.
class Checker {
 public:
  explicit Checker(const Plan& plan) : members_(plan.cluster.members) {}

  Status operator()(const PutStep& s) {
    WP_RETURN_IF_ERROR(Write(s));
    ++writes_;
    return {};
  }
  Status operator()(const DeleteStep&) {
    ++writes_;
    return {};
  }
  Status operator()(const TxnStep& s) {
    for (const auto& write : s.writes) {
      if (const auto* put = std::get_if<PutStep>(&write)) WP_RETURN_IF_ERROR(Write(*put));
    }
    ++writes_;
    return {};
  }
  Status operator()(const RefusedTxnStep& s) {
    WP_RETURN_IF_ERROR(Write(s.write));
    return At(s.at);
  }
  Status operator()(const CompactStep& s) { return At(s.at); }
  Status operator()(const LeaseStep& s) {
    leases_.insert(s.lease);
    return s.ttl.count() >= 1 && s.ttl <= kLongestLease
               ? Status()
               : Bad("a time to live of {} s; expected 1 to {}", s.ttl.count(),
                     kLongestLease.count());
  }
  Status operator()(const RevokeStep& s) { return Known(leases_, "lease", s.lease); }
  Status operator()(const AwaitExpiredStep& s) { return Known(leases_, "lease", s.lease); }
  Status operator()(const WatchStep& s) {
    if (!s.user.empty()) WP_RETURN_IF_ERROR(Known(users_, "user", s.user));
    WP_RETURN_IF_ERROR(Member(s.member, 1));
    return Watches(s.group, s.count, s.first_id, s.start);
  }
  Status operator()(const ChurnStep& s) { return Watches(s.group, s.count, s.first_id, s.start); }
  Status operator()(const AuthStep& s) {
    for (const AuthStep::Reader& reader : s.readers) users_.insert(reader.user);
    return {};
  }
  Status operator()(const LoadStep& s) {
    WP_RETURN_IF_ERROR(Within("clients", s.clients, 1, kMostClients));
    WP_RETURN_IF_ERROR(Within("calls", s.calls, 0, kMostCalls));
    WP_RETURN_IF_ERROR(Within("keys", s.keys, 1, kMostCalls));
    return Member(s.member, 0);
  }
  Status operator()(const AwaitLoadStep&) { return {}; }  // one that never began has ended
  Status operator()(const CancelStep& s) { return Group(s.group); }
  Status operator()(const ResumeStep& s) {
    WP_RETURN_IF_ERROR(Group(s.group));
    // A group that resumes itself would grow during the iteration.
    if (s.as == s.group) return Bad("group '{}' is resumed as itself", Escaped(s.as));
    groups_.insert(s.as);
    return Member(s.member, 1);
  }
  Status operator()(const UseMemberStep& s) { return Member(s.member, 1); }
  Status operator()(const AwaitCaughtUpStep& s) { return Member(s.member, 1); }
  Status operator()(const AwaitSnapshotStep& s) { return Member(s.member, 1); }
  Status operator()(const MustEndStep& s) { return Time(s.limit); }
  Status operator()(const MustDeliverStep& s) {
    WP_RETURN_IF_ERROR(Group(s.group));
    return Time(s.limit);
  }
  Status operator()(const MustReportProgressStep& s) { return Time(s.limit); }
  Status operator()(const RequestProgressStep&) { return {}; }
  Status operator()(const AwaitCreatedStep& s) { return Group(s.group); }
  Status operator()(const AwaitEndedStep& s) { return Group(s.group); }
  Status operator()(const AwaitDeliveredStep& s) { return Group(s.group); }
  Status operator()(const AwaitProgressStep&) { return {}; }
  Status operator()(const AwaitRegisteredStep& s) {
    return Within("watchers", s.watchers, 0, kMostWatches);
  }
  Status operator()(const AwaitSyncPassesStep& s) {
    return s.passes >= 0 && s.passes <= kMostPasses
               ? Status()
               : Bad("{} passes; expected 0 to {}", s.passes, kMostPasses);
  }
  Status operator()(const InjectStep& s) {
    if (const auto fault = MakeFault(s.fault, s.parameters); !fault.has_value()) {
      return Status(StatusCode::kInvalidArgument, Escaped(fault.error().message()));
    }
    faults_.insert(s.fault);
    return {};
  }
  Status operator()(const AwaitEffectStep& s) { return Known(faults_, "fault", s.fault); }
  Status operator()(const HealStep& s) { return Known(faults_, "fault", s.fault); }
  Status operator()(const WhenStep& s) {
    WP_RETURN_IF_ERROR(Time(s.limit));
    WP_RETURN_IF_ERROR(At(s.revision));
    return s.moment == WhenStep::Moment::kCalls ? Status() : Group(s.of);
  }
  Status operator()(const HoldStep& s) { return Time(s.duration); }

  Status Member(int member, int lowest) const {
    return member >= lowest && member <= members_
               ? Status()
               : Bad("there is no member {}; the plan has {}", member, members_);
  }
  static Status Time(Duration time) {
    return time >= Duration::zero() && time <= kLongestWait
               ? Status()
               : Bad("a time of {} us; expected 0 to an hour", time.count() / 1000);
  }

 private:
  using Names = std::set<std::string>;

  static Status Known(const Names& names, std::string_view kind, const std::string& name) {
    return names.contains(name) ? Status()
                                : Bad("there is no {} '{}' before it", kind, Escaped(name));
  }
  Status Group(const std::string& name) const { return Known(groups_, "group", name); }
  static Status Within(std::string_view what, std::size_t number, std::size_t low,
                       std::size_t high) {
    return number >= low && number <= high
               ? Status()
               : Bad("{} {}; expected {} to {}", number, what, low, high);
  }
  Status Write(const PutStep& s) const {
    if (!s.lease.empty()) WP_RETURN_IF_ERROR(Known(leases_, "lease", s.lease));
    return Within("bytes", s.value.bytes, 0, kMostBytes);
  }
  Status At(const RevisionRef& ref) const {
    if (ref.base != RevisionRef::Base::kWrite || (ref.number >= 0 && ref.number < writes_)) {
      return {};
    }
    return Bad("there is no write {} before it; there are {}, counted from 0", ref.number, writes_);
  }
  Status Watches(const std::string& group, std::size_t count, std::int64_t first_id,
                 const RevisionRef& start) {
    WP_RETURN_IF_ERROR(Within("watches", count, 0, kMostWatches));
    WP_RETURN_IF_ERROR(At(start));
    if (first_id > std::int64_t{1} << 62) return Bad("an id of {}", first_id);
    groups_.insert(group);
    return {};
  }

  const int members_;
  std::int64_t writes_ = 0;
  Names groups_;
  Names leases_;
  Names users_;
  Names faults_;
};

}  // namespace

Status CheckPlan(const Plan& plan) {
  const ClusterPlan& cluster = plan.cluster;
  if (cluster.members < 1 || cluster.members > kMostMembers) {
    return Bad("{} members; expected 1 to {}", cluster.members, kMostMembers);
  }
  if (cluster.snapshot_count < 0) return Bad("a snapshot count of {}", cluster.snapshot_count);
  WP_RETURN_IF_ERROR(Checker::Time(plan.converge_limit));
  Checker checker(plan);
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    if (Status fine = std::visit(checker, plan.steps[i]); !fine.ok()) {
      const auto op = nlohmann::json::parse(StepLines(plan)[i]).value("op", "");
      return std::move(fine).WithContext("step {} ({})", i + 1, op);
    }
  }
  return {};
}

}  // namespace watchproof
