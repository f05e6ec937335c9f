// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/plan_check.h"

#include <algorithm>

#include "harness/base/escape.h"
#include "harness/scenario/attempt_driver.h"

namespace watchproof {
namespace {

using Role = Field::Role;

constexpr int kMostMembers = 9;
// Below it members stand for election because the machine is busy.
constexpr int kLeastElection = 100;
constexpr int kMostElection = 50'000;  // etcd's own bound
constexpr std::chrono::seconds kLongestLease{365 * 24 * 3600};
constexpr Duration kLongestWait = 1h;

constexpr std::int64_t kSmallValue = 64;  // sentinels and probes are shorter
// What probing a capability may write: two values of 1200 KiB, and a few small ones.
constexpr std::int64_t kProbeKeys = 5;
constexpr std::int64_t kProbeBytes = std::int64_t{2} * 1200 * 1024 + 3 * kSmallValue;

template <typename... Args>
Status Bad(fmt::format_string<Args...> format, Args&&... args) {
  return Fail(StatusCode::kInvalidArgument, format, std::forward<Args>(args)...);
}

Status CheckTime(Duration time) {
  return time >= Duration::zero() && time <= kLongestWait
             ? Status()
             : Bad("a time of {} us; expected 0 to an hour", time.count() / 1000);
}

// Checks one field after the other, and remembers what they define.
class FieldCheck {
 public:
  explicit FieldCheck(int members) : members_(members) {}

  Status Check(const Field& field) {
    field_ = &field;
    return std::visit([this](const auto& value) { return Value(value); }, field.value);
  }
  void CountWrite() { ++writes_; }

 private:
  Status Value(std::string* name) {
    std::set<std::string>& known = known_[field_->subject];
    const bool uses = field_->role == Role::kUses || field_->role == Role::kMayUse;
    const bool none = field_->optional && name->empty();
    if (uses && !none && !known.contains(*name)) {
      return Bad("there is no {} '{}' before it", Name(field_->subject), Escaped(*name));
    }
    if (field_->role == Role::kDefines) known.insert(*name);
    return {};
  }
  Status Value(int* number) const {
    if (!field_->member) return Within(*number);
    return *number >= field_->least && *number <= members_
               ? Status()
               : Bad("there is no member {}; the plan has {}", *number, members_);
  }
  Status Value(std::uint64_t* number) const { return Within(*number); }
  Status Value(Duration* time) const { return CheckTime(*time); }
  Status Value(std::chrono::seconds* ttl) const {
    return ttl->count() >= 1 && *ttl <= kLongestLease
               ? Status()
               : Bad("a time to live of {} s; expected 1 to {}", ttl->count(),
                     kLongestLease.count());
  }
  Status Value(RevisionRef* ref) const {
    if (ref->base != RevisionRef::Base::kWrite || (ref->number >= 0 && ref->number < writes_)) {
      return {};
    }
    return Bad("there is no write {} before it; there are {}, counted from 0", ref->number,
               writes_);
  }
  template <typename Other>
  Status Value(const Other&) const {
    return {};
  }
  template <typename Number>
  Status Within(Number number) const {
    return field_->most == 0 || (std::cmp_greater_equal(number, field_->least) &&
                                 std::cmp_less_equal(number, field_->most))
               ? Status()
               : Bad("{} {}; expected {} to {}", number, field_->unit, field_->least, field_->most);
  }

  const int members_;
  const Field* field_ = nullptr;
  std::int64_t writes_ = 0;
  std::map<Subject, std::set<std::string>> known_;
};

}  // namespace

Status CheckPlan(const Plan& plan) {
  const ClusterPlan& cluster = plan.cluster;
  if (cluster.members < 1 || cluster.members > kMostMembers) {
    return Bad("{} members; expected 1 to {}", cluster.members, kMostMembers);
  }
  if (cluster.snapshot_count < 0) return Bad("a snapshot count of {}", cluster.snapshot_count);
  if (cluster.compaction_batch < 0) return Bad("a batch of {}", cluster.compaction_batch);
  if (cluster.catch_up_entries < 0) return Bad("{} entries", cluster.catch_up_entries);
  if (cluster.backend_batch < 0) return Bad("a batch of {} writes", cluster.backend_batch);
  if (cluster.quota_mib < 0) return Bad("a quota of {} MiB", cluster.quota_mib);
  if (cluster.token_seconds < 0) return Bad("tokens of {} s", cluster.token_seconds);
  if (cluster.signed_tokens && cluster.token_seconds == 0) {
    return Bad("signed tokens without their time; expected token_seconds");
  }
  if (cluster.backend_ms < 0) return Bad("a commit every {} ms", cluster.backend_ms);
  if (cluster.election_ms != 0 &&
      (cluster.election_ms < kLeastElection || cluster.election_ms > kMostElection)) {
    return Bad("an election after {} ms; expected 0 for the default, or {} to {}",
               cluster.election_ms, kLeastElection, kMostElection);
  }
  WP_RETURN_IF_ERROR(CheckTime(plan.converge_limit));
  const auto explored = std::ranges::count_if(
      plan.steps, [](const Step& step) { return step.Explored().has_value(); });
  if (explored != 0 && !std::cmp_equal(explored, plan.steps.size())) {
    return Bad("{} steps of exploration among {}; expected none, or all of them", explored,
               plan.steps.size());
  }
  WP_RETURN_IF_ERROR(explore::Check(plan.limits));
  WP_RETURN_IF_ERROR(explore::Check(plan.settings));
  FieldCheck check(cluster.members);
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    Step step = plan.steps[i];
    Status fine = step.Check();
    ForEachField(step, [&](const Field& field) {
      if (fine.ok()) fine = check.Check(field);
    });
    if (!fine.ok()) return std::move(fine).WithContext("step {} ({})", i + 1, step.op());
    if (step.writes()) check.CountWrite();
  }
  return {};
}

std::vector<Capability> NeedsOf(const Plan& plan) {
  std::vector<Capability> needs;
  if (plan.cluster.members > 1) needs.push_back(Capability::kCluster);
  bool keeps_data = false;
  bool disk = false;
  for (const std::string& name : DefinedBy(plan, Subject::kFault)) {
    const auto fault = FindFault(KindOf(name));
    if (!fault) continue;
    disk = disk || fault->on_disk;
    keeps_data = keeps_data || fault->on_disk || fault->ends_streams == EndsStreams::kEvery;
  }
  if (keeps_data) needs.push_back(Capability::kDurable);
  if (disk) needs.push_back(Capability::kDisk);
  const Usage usage = UsageOf(plan);
  if (usage.compactions > 0) needs.push_back(Capability::kCompaction);
  if (usage.leases > 0) needs.push_back(Capability::kLeases);
  return needs;
}

Status CheckWaits(const Plan& plan, Duration time_for_steps) {
  Duration sum{};
  for (Step step : plan.steps) {
    for (const Field& field : step.fields()) {
      if (field.waits) sum += *std::get<Duration*>(field.value);
    }
  }
  if (sum <= time_for_steps) return {};
  const auto seconds = [](Duration d) { return std::chrono::duration<double>(d).count(); };
  return Fail(StatusCode::kInvalidArgument,
              "the waits of the plan add up to {:.1f} s; expected at most {:.1f} s, which the time "
              "limit of the case leaves to its steps",
              seconds(sum), seconds(time_for_steps));
}

Usage UsageOf(const Plan& plan) {
  Usage usage;
  std::set<std::string> keys;
  std::map<std::string, std::size_t> groups;
  for (Step step : plan.steps) {
    usage += step.Cost();
    std::string made;
    std::size_t watches = 0;
    ForEachField(step, [&](const Field& field) {
      const bool names_key =
          field.subject == Subject::kKey || field.subject == Subject::kWatchedKey;
      if (field.role == Role::kIs && names_key) keys.insert(*std::get<std::string*>(field.value));
      if (field.counts) watches = *std::get<std::size_t*>(field.value);
      if (field.subject != Subject::kGroup || field.role == Role::kNone) return;
      const std::string& name = *std::get<std::string*>(field.value);
      if (field.role == Role::kDefines) made = name;
      // As many as in the group that it continues.
      if (field.role == Role::kUses) watches = groups[name];
    });
    if (made.empty()) continue;
    groups[made] += watches;
    usage.watchers += static_cast<std::int64_t>(watches);
  }
  const auto named = static_cast<std::int64_t>(keys.size());
  usage.keys += named + kProbeKeys;
  // Two rounds of sentinels, and the lifting of the head; see Executor::WriteSentinels.
  usage.bytes += std::max(kMostSentinels, 2 * named) * kSmallValue + kProbeBytes;
  usage += CostOfStandingPromises();
  ++usage.watchers;  // the one that sees everything
  return usage;
}

std::string BeyondRequests(const Plan& plan, Profile::Requests requests) {
  if (requests == Profile::Requests::kAll) return {};
  for (const Step& step : plan.steps) {
    std::string reason = step.BeyondKubernetes();
    if (!reason.empty()) return reason;
  }
  return {};
}

bool LeavesRevisionsOut(const Plan& plan, const Profile& profile) {
  return profile.leases_take_revisions && UsageOf(plan).leases > 0;
}

std::set<std::string> DefinedBy(const Plan& plan, Subject subject) {
  return NamedBy(plan, subject, Role::kDefines);
}

std::set<std::string> NamedBy(const Plan& plan, Subject subject, Role role) {
  std::set<std::string> names;
  for (Step step : plan.steps) {
    ForEachField(step, [&](const Field& field) {
      if (field.role == role && field.subject == subject) {
        names.insert(*std::get<std::string*>(field.value));
      }
    });
  }
  return names;
}

}  // namespace watchproof
