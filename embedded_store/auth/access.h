// SPDX-License-Identifier: Apache-2.0
// The caller of a request, and the rights that a request needs.
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

// How a request identifies its caller; a token takes precedence over a certificate.
struct Credentials {
  std::optional<std::string> token;
  std::optional<std::string> common_name;  // of a client certificate that was verified
};

// The user that a request acts for, and the auth revision at which that was found; 0: no user.
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

// In etcd's order, which only decides which of several equal refusals comes first. A put with a
// lease also needs the right to write every key that the lease already has, because the lease can
// delete all of them; an operation that returns previous values reads them. Both branches of a
// transaction count, whatever its comparisons yield, and the comparisons read.
Needs NeedsOf(const RangeQuery& query, const LeaseKeys&);
Needs NeedsOf(const PutOp& put, const LeaseKeys& lease_keys);
Needs NeedsOf(const DeleteOp& removal, const LeaseKeys&);
Needs NeedsOf(const TxnOp& txn, const LeaseKeys& lease_keys);
// Every key of a lease: written by a revoke or a keep-alive, read by a listing.
Needs NeedsOfLease(std::int64_t lease, Right right, const LeaseKeys& lease_keys);

}  // namespace watchproof::store
