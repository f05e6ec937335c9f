// SPDX-License-Identifier: Apache-2.0
#include "ci/crash/crash_history.h"

#include <fmt/format.h>

#include <algorithm>

namespace watchproof::store {
namespace {

std::string Text(const CrashWrite& write) {
  std::string text;
  for (const auto& [key, value] : write) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", key,
                        value ? value->substr(0, 20) : "(deleted)");
  }
  return text;
}

}  // namespace

void CrashHistory::Acknowledged(Revision at, CrashWrite write) {
  MutexLock lock(mu_);
  known_.emplace(at, std::move(write));
  shown_ = std::max(shown_, at);
  ++acknowledged_;
}
void CrashHistory::Unanswered(CrashWrite write) {
  MutexLock lock(mu_);
  unanswered_.push_back(std::move(write));
}
void CrashHistory::Shown(Revision at) {
  MutexLock lock(mu_);
  shown_ = std::max(shown_, at);
}
void CrashHistory::Delivered(Revision at, const std::string& key,
                             const std::optional<std::string>& value) {
  MutexLock lock(mu_);
  delivered_[at].emplace_back(key, value);
  shown_ = std::max(shown_, at);
}
void CrashHistory::CompactionAsked(Revision floor) {
  MutexLock lock(mu_);
  floors_asked_.insert(floor);
}
void CrashHistory::CompactionAcknowledged(Revision floor) {
  MutexLock lock(mu_);
  floor_ = std::max(floor_, floor);
}
void CrashHistory::LeaseGranted(std::int64_t id) {
  MutexLock lock(mu_);
  leases_.insert(id);
}
Revision CrashHistory::shown() const {
  MutexLock lock(mu_);
  return shown_;
}
std::size_t CrashHistory::acknowledged() const {
  MutexLock lock(mu_);
  return acknowledged_;
}

std::vector<std::string> CrashHistory::Check(const CrashFindings& found) {
  MutexLock lock(mu_);
  broken_.clear();
  CheckRevisionsLocked(found);
  CheckEventsLocked(found);
  CheckStateLocked("now", found.current, found.now);
  if (found.floor.value > 0) CheckStateLocked("at the floor", found.floor, found.at_floor);
  for (const std::int64_t lease : leases_) {
    if (!found.leases.contains(lease)) broken_.push_back(fmt::format("lease {} is lost", lease));
  }
  unanswered_.clear();
  delivered_.clear();
  floor_ = found.floor;
  shown_ = found.current;
  return broken_;
}

void CrashHistory::CheckRevisionsLocked(const CrashFindings& found) {
  if (found.current < shown_) {
    broken_.push_back(fmt::format("the revision went back from {} to {}", shown_, found.current));
  }
  if (found.floor < floor_) {
    broken_.push_back(fmt::format("the floor went back from {} to {}", floor_, found.floor));
  }
  if (found.floor > floor_ && !floors_asked_.contains(found.floor)) {
    broken_.push_back(fmt::format("the floor {} was never requested", found.floor));
  }
}

void CrashHistory::CheckEventsLocked(const CrashFindings& found) {
  for (const auto& [at, write] : found.events) SettleLocked(at, write);
  // For a compacted revision, what was delivered to the watcher is the only evidence.
  for (const auto& [at, changes] : delivered_) {
    if (at < found.floor) SettleLocked(at, changes);
  }
  const Revision first{std::max<std::int64_t>(found.floor.value, 2)};
  for (Revision at = first; at <= found.current; at = at.next()) {
    if (!found.events.contains(at)) broken_.push_back(fmt::format("revision {} is lost", at));
  }
  for (const auto& [at, changes] : delivered_) {
    const auto known = known_.find(at);
    if (known == known_.end()) {
      broken_.push_back(fmt::format("revision {} was delivered and is not there", at));
      continue;
    }
    for (const auto& change : changes) {
      if (std::count(known->second.begin(), known->second.end(), change) == 1) continue;
      broken_.push_back(fmt::format("revision {} was delivered as {} and is {}", at, Text({change}),
                                    Text(known->second)));
    }
  }
}

// Compares with the known content of this revision, or records it.
void CrashHistory::SettleLocked(Revision at, const CrashWrite& write) {
  if (const auto known = known_.find(at); known != known_.end()) {
    if (known->second == write) return;
    broken_.push_back(
        fmt::format("revision {} was {} and is {}", at, Text(known->second), Text(write)));
    return;
  }
  const auto unanswered = std::find(unanswered_.begin(), unanswered_.end(), write);
  if (unanswered == unanswered_.end()) {
    broken_.push_back(fmt::format("revision {} holds {}, which no client wrote", at, Text(write)));
  } else {
    unanswered_.erase(unanswered);
  }
  known_.emplace(at, write);
}

void CrashHistory::CheckStateLocked(const char* what, Revision at,
                                    const std::vector<KeyValue>& kvs) {
  std::map<std::string, KeyValue> state;
  for (const auto& [revision, write] : known_) {
    if (revision > at) break;
    for (const auto& [key, value] : write) {
      if (!value) {
        state.erase(key);
        continue;
      }
      KeyValue& kv = state[key];
      if (kv.version == 0) kv.create = revision;
      kv = {.key = key,
            .value = *value,
            .create = kv.create,
            .mod = revision,
            .version = kv.version + 1};
    }
  }
  std::map<std::string, KeyValue> seen;
  for (const KeyValue& kv : kvs) seen.emplace(kv.key, kv);
  for (const auto& [key, kv] : state) {
    const auto there = seen.find(key);
    if (there == seen.end()) {
      broken_.push_back(fmt::format("{} (revision {}): {} is lost", what, at, key));
    } else if (!(there->second == kv)) {
      broken_.push_back(fmt::format("{} (revision {}): {} is {}@{}/{}/{}, not {}@{}/{}/{}", what,
                                    at, key, there->second.value.substr(0, 20),
                                    there->second.create, there->second.mod, there->second.version,
                                    kv.value.substr(0, 20), kv.create, kv.mod, kv.version));
    }
  }
  for (const auto& [key, kv] : seen) {
    if (!state.contains(key)) {
      broken_.push_back(fmt::format("{} (revision {}): {} came back", what, at, key));
    }
  }
}

}  // namespace watchproof::store
