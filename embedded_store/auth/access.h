// SPDX-License-Identifier: Apache-2.0
// Who calls, and what rights a call needs.
//
//   const Needs needs = NeedsOf(put, lease_keys);
//   WP_RETURN_IF_ERROR(auth.Check(caller, needs));
//
// Threads: values, and free functions without state.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "embedded_store/auth/permission.h"
#include "embedded_store/mvcc/operations.h"

namespace watchproof::store {

// What a call brings along to say whose it is; a token goes before a certificate.
struct Credentials {
  std::optional<std::string> token;
  std::optional<std::string> common_name;  // of a client certificate that was verified
};

// On whose behalf, and at which revision of users and rights that was found out; 0 is nobody.
struct Caller {
  std::string user;
  std::uint64_t revision = 0;
};

struct Need {
  Right right = Right::kRead;  // never both in one
  KeyRange range;
  bool operator==(const Need&) const = default;
};
using Needs = std::vector<Need>;

// The keys attached to a lease; none for one that does not exist.
using LeaseKeys = std::function<std::vector<std::string>(std::int64_t lease)>;

// In etcd's order, which decides nothing but the order of equal refusals. A put with a lease also
// needs to write every key of the lease already, because the lease can end all of them; an
// operation that shows previous values reads them. Both branches of a transaction count, whatever
// its comparisons say, and the comparisons read.
Needs NeedsOf(const RangeQuery& query);
Needs NeedsOf(const PutOp& put, const LeaseKeys& lease_keys);
Needs NeedsOf(const DeleteOp& removal);
Needs NeedsOf(const TxnOp& txn, const LeaseKeys& lease_keys);
// Every key of a lease: written by whoever revokes it or keeps it alive, read by whoever lists
// them.
Needs NeedsOfLease(std::int64_t lease, Right right, const LeaseKeys& lease_keys);

}  // namespace watchproof::store
