// SPDX-License-Identifier: Apache-2.0
// The requests that the steps of a script mean, under virtual time and on a real server.
//
//   Placement placement("s12/", 120);                    // beside other scripts on one server
//   PutRequest put = RequestOf(step, placement, values);   ToMessage(put).bytes();
//
// Threads: values and pure functions.
#pragma once

#include <cstdint>
#include <string>

#include "harness/history/entry.h"
#include "harness/history/requests.h"
#include "harness/script/script.h"

namespace watchproof::explore {

// Where the keys and leases of a script are on its store. By default it has the store to itself.
class Placement {
 public:
  Placement() = default;
  // All keys are below the prefix, which ends with '/'; leases are numbered from `leases` on. "*"
  // is then everything below the prefix, or as an end `no_end`, if that is given.
  Placement(std::string prefix, std::int64_t leases, std::string no_end = {})
      : prefix_(std::move(prefix)), leases_(leases), no_end_(std::move(no_end)) {}

  std::string Key(const std::string& key) const;
  std::string End(const std::string& end) const;
  // The word of a script for a key, or for an end, that is placed.
  std::string Word(std::string_view key) const;
  std::string EndWord(const std::string& end) const;
  std::int64_t Lease(std::int64_t lease) const { return lease == 0 ? 0 : leases_ + lease; }

 private:
  std::string prefix_;
  std::int64_t leases_ = 0;
  std::string no_end_;
};

// Gives each put of a script a value of its own.
struct Values {
  std::int64_t given = 0;
  // A value of at least so many bytes.
  std::string Next(std::int64_t bytes);
};

// A create of the watch with keys that are placed and a start that is a revision of the store.
Create CreateOf(int stream, const WatchCreate& watch, const Placement& placement);
PutRequest RequestOf(const Put& put, const Placement& placement, Values& values);
DeleteRequest RequestOf(const Delete& erase, const Placement& placement);
TxnRequest RequestOf(const Txn& txn, const Placement& placement, Values& values);
// At a revision that the step's place was resolved to.
ReadRequest RequestOf(const Get& get, const Placement& placement, std::int64_t at);

// The line of a kill of the store, and of its return.
Entry KillEntry(bool healed);

}  // namespace watchproof::explore
