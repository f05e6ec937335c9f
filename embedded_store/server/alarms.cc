// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/server/alarms.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "embedded_store/mvcc/errors.h"
#include "embedded_store/server/convert.h"
#include "harness/base/parse.h"

namespace watchproof::store {
namespace {

// etcd's estimate of what a key takes besides its name and value.
constexpr std::size_t kCostOfKey = 256;

std::size_t CostOf(const std::vector<Operation>& operations) {
  std::size_t cost = 0;
  for (const Operation& operation : operations) {
    if (const auto* put = std::get_if<PutOp>(&operation)) cost += store::CostOf(*put);
    if (const auto* txn = std::get_if<TxnOp>(&operation)) cost += store::CostOf(*txn);
  }
  return cost;
}

// "1/0000656d62656464": kind and member.
Mutation Row(const Alarm& alarm, std::optional<std::string> value) {
  return {.bucket = Bucket::kAlarm,
          .key = fmt::format("{}/{:016x}", static_cast<int>(alarm.kind), alarm.member),
          .value = std::move(value)};
}

std::optional<Alarm> FromRow(std::string_view key) {
  if (key.size() != 18 || key[1] != '/') return std::nullopt;
  if (key[0] != '1' && key[0] != '2') return std::nullopt;
  const auto member = ParseNumber<std::uint64_t>(key.substr(2), 16);
  if (!member) return std::nullopt;
  return Alarm{.kind = static_cast<AlarmKind>(key[0] - '0'), .member = *member};
}

}  // namespace

std::size_t CostOf(const PutOp& put) { return kCostOfKey + put.key.size() + put.value.size(); }

std::size_t CostOf(const TxnOp& txn) { return std::max(CostOf(txn.success), CostOf(txn.failure)); }

Alarms::Alarms(Backend& backend, const MvccStore& store, std::int64_t quota_bytes)
    : backend_(backend), store_(store), quota_(quota_bytes == 0 ? kDefaultQuota : quota_bytes) {}

Status Alarms::Recover() {
  std::set<Alarm> active;
  Status rows;
  const auto read = [&](std::string_view key, std::string_view) {
    if (const auto alarm = FromRow(key)) {
      active.insert(*alarm);
    } else {
      rows = Fail(StatusCode::kDataLoss, "the row '{}' of alarms is not one of this store's", key);
    }
  };
  WP_RETURN_IF_ERROR(backend_.Load(Bucket::kAlarm, read));
  MutexLock lock(mu_);
  active_ = std::move(active);
  RecountLocked();
  return rows;
}

void Alarms::RecountLocked() {
  const auto any = [this](AlarmKind kind) REQUIRES(mu_) {
    return std::any_of(active_.begin(), active_.end(),
                       [kind](const Alarm& alarm) { return alarm.kind == kind; });
  };
  no_space_ = any(AlarmKind::kNoSpace);
  corrupt_ = any(AlarmKind::kCorrupt);
}

Status Alarms::AdmitChange() const { return corrupt_ ? ErrCorrupt() : Status(); }

Status Alarms::AdmitGrowth(std::size_t bytes) {
  WP_RETURN_IF_ERROR(AdmitChange());
  if (bytes == 0) return {};
  if (no_space_) return ErrNoSpace();
  const std::int64_t after = store_.sizes().total.value + static_cast<std::int64_t>(bytes);
  if (quota_ < 0 || after < quota_) return {};
  Activate({.kind = AlarmKind::kNoSpace, .member = kMemberId});
  return ErrNoSpace();
}

std::vector<Alarm> Alarms::Activate(const Alarm& alarm) {
  if (alarm.kind == AlarmKind::kAny) return {};
  MutexLock lock(mu_);
  if (active_.insert(alarm).second) {
    backend_.Stage({Row(alarm, std::string())});
    RecountLocked();
  }
  return {alarm};
}

std::vector<Alarm> Alarms::Deactivate(const Alarm& alarm) {
  MutexLock lock(mu_);
  if (active_.erase(alarm) == 0) return {};
  backend_.Stage({Row(alarm, std::nullopt)});
  RecountLocked();
  return {alarm};
}

std::vector<Alarm> Alarms::Active(AlarmKind kind) const {
  MutexLock lock(mu_);
  std::vector<Alarm> active;
  std::copy_if(
      active_.begin(), active_.end(), std::back_inserter(active),
      [kind](const Alarm& alarm) { return kind == AlarmKind::kAny || alarm.kind == kind; });
  return active;
}

}  // namespace watchproof::store
