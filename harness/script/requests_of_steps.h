// SPDX-License-Identifier: Apache-2.0
// The requests that the steps of a script mean, under virtual time and on a real server.
//
//   Placement placement("s12/", 120);                    // beside other scripts on one server
//   PutRequest put = RequestOf(step, placement, values);   ToMessage(put).bytes();
//
// Threads: values and pure functions.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "harness/history/entry.h"
#include "harness/history/requests.h"
#include "harness/model/operations.h"
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

// What the client of a script knows of a key; of one that is not there, nothing.
struct KnownKey {
  std::int64_t create = 0;
  std::int64_t mod = 0;
  std::int64_t version = 0;
  std::int64_t lease = 0;
  std::string value{};
};
// What it knows of the store when it asks.
struct Known {
  std::function<std::int64_t(const Place& place)> at;  // the revision
  // The first key of a range; both ends are placed.
  std::function<KnownKey(const std::string& key, const std::string& end)> key{};
};

// The keys that a client has written itself, by the answers to its writes.
class WrittenKeys {
 public:
  void Note(const Effect& effect);
  // The first one of a range, as its request names it.
  KnownKey Of(const std::string& key, const std::string& end = {}) const;

 private:
  std::map<std::string, KnownKey, std::less<>> keys_;
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
TxnRequest RequestOf(const Txn& txn, const Placement& placement, Values& values,
                     const Known& known);
ReadRequest RequestOf(const Get& get, const Placement& placement, const Known& known);

// The line of a kill of the store, and of its return.
Entry KillEntry(bool healed);

}  // namespace watchproof::explore
