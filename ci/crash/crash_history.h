// SPDX-License-Identifier: Apache-2.0
// What the clients of a store received before it crashed, checked against the store afterwards.
//
//   history.Acknowledged(Revision{7}, write);   history.Unanswered(other);   // while it runs
//   for (const std::string& broken : history.Check(found)) ...            // after each restart
//
// Promises: nothing acknowledged or shown is lost, no revision comes again with other content, the
// current revision and the floor do not go back, nothing is there that no client wrote, and reads
// at the floor and now match the history. Threads: records from any; Check from one, while no
// client runs. Ownership: values. Test code only.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "embedded_store/mvcc/change.h"
#include "harness/base/mutex.h"

namespace watchproof::store {

// The changes of one revision, in order; no value: the key was deleted.
using CrashWrite = std::vector<std::pair<std::string, std::optional<std::string>>>;

// What a store holds after a restart.
struct CrashFindings {
  Revision current;
  Revision floor{0};                      // 0: never compacted
  std::map<Revision, CrashWrite> events;  // from the floor on
  std::vector<KeyValue> now;
  std::vector<KeyValue> at_floor;
  std::set<std::int64_t> leases;
};

class CrashHistory {
 public:
  void Acknowledged(Revision at, CrashWrite write);
  // A write without an answer: it happened once or not at all.
  void Unanswered(CrashWrite write);
  // Some response had this revision in its header.
  void Shown(Revision at);
  // A watcher received this change.
  void Delivered(Revision at, const std::string& key, const std::optional<std::string>& value);
  void CompactionAsked(Revision floor);
  void CompactionAcknowledged(Revision floor);
  void LeaseGranted(std::int64_t id);

  // Empty when every promise is kept. Unanswered writes are decided by what was found.
  std::vector<std::string> Check(const CrashFindings& found);

  Revision shown() const;
  std::size_t acknowledged() const;

 private:
  void CheckRevisionsLocked(const CrashFindings& found) REQUIRES(mu_);
  void CheckEventsLocked(const CrashFindings& found) REQUIRES(mu_);
  void SettleLocked(Revision at, const CrashWrite& write) REQUIRES(mu_);
  void CheckStateLocked(const char* what, Revision at, const std::vector<KeyValue>& kvs)
      REQUIRES(mu_);

  mutable Mutex mu_;
  std::map<Revision, CrashWrite> known_ GUARDED_BY(mu_);
  std::vector<CrashWrite> unanswered_ GUARDED_BY(mu_);
  std::map<Revision, CrashWrite> delivered_ GUARDED_BY(mu_);
  std::set<std::int64_t> leases_ GUARDED_BY(mu_);
  std::set<Revision> floors_asked_ GUARDED_BY(mu_);
  Revision floor_ GUARDED_BY(mu_){0};
  Revision shown_ GUARDED_BY(mu_){1};
  std::size_t acknowledged_ GUARDED_BY(mu_) = 0;
  std::vector<std::string> broken_ GUARDED_BY(mu_);  // by the check under way
};

}  // namespace watchproof::store
