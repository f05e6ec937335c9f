// SPDX-License-Identifier: Apache-2.0
// The calls of one client of a load as scripts of exploration have them: every kind of request
// about keys with any of its options, nested transactions included, on keys that all clients of the
// load share. Numbers that mean revisions are near those that the store has come to.
//
//   DrawnCalls calls("load/", 3, prng);
//   kv.Send(calls.Next(known, leases));
//
// Not thread-safe. Ownership: owns everything.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/base/prng.h"
#include "harness/script/requests_of_steps.h"

namespace watchproof::explore {

class DrawnCalls {
 public:
  // Below the prefix, which ends with '/'; ranges may go on to `no_end`, if that is given. The
  // client's number is in its values: no two clients write the same.
  DrawnCalls(const std::string& prefix, std::size_t client, Prng prng,
             const std::string& no_end = {});

  // `known` is a revision of the store; some keys are put on the client's leases.
  KvRequest Next(Revision known, const std::vector<std::int64_t>& leases);

 private:
  // What a script names by small numbers.
  struct Names {
    Revision known;
    const std::vector<std::int64_t>& leases;
    std::int64_t Lease(std::int64_t lease) const;
  };
  Txn Placed(Txn txn, const Names& names) const;
  KnownKey SomeKey(const Names& names);

  const Placement placement_;
  Prng prng_;
  Values values_;
};

}  // namespace watchproof::explore
