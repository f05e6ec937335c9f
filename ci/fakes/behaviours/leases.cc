// SPDX-License-Identifier: Apache-2.0
// Leases that end otherwise than they must.
#include <set>

#include "ci/fakes/behaviour.h"
#include "harness/base/mutex.h"

namespace watchproof::fakes {
namespace {

// The lease keeps a key that a later put has detached, and deletes it when it ends.
class LeaseHoldsOn final : public Behaviour {
  std::string Asked(const std::string& method, std::string& request) override {
    if (method != "/etcdserverpb.KV/Put") return {};
    etcdserverpb::PutRequest put;
    if (!put.ParseFromString(request) || put.ignore_lease()) return {};
    MutexLock lock(mu_);
    if (put.lease() != 0) {
      leased_.insert(put.key());
      return {};
    }
    if (!leased_.contains(put.key())) return {};
    put.set_ignore_lease(true);
    request = put.SerializeAsString();
    return "kept the lease of a key that was put without one";
  }

  Mutex mu_;
  std::set<std::string> leased_ GUARDED_BY(mu_);
};

const BehaviourRegistration kLeaseHoldsOn(
    {.name = "lease-holds-on",
     .explain = "A key that was put again without its lease still ends with that lease.",
     .guarantees = {}},
    [] { return std::make_unique<LeaseHoldsOn>(); });

// A lease's id has the same place in both requests, and the header in both answers.
class RevokeKeepsKey final : public Behaviour {
  CallPlan Plan(const std::string& method) override {
    if (method != "/etcdserverpb.Lease/LeaseRevoke") return {.method = method};
    return {.method = "/etcdserverpb.Lease/LeaseTimeToLive",
            .tampered = "acknowledged without revoking the lease"};
  }
};

const BehaviourRegistration kRevokeKeepsKey(
    {.name = "revoke-keeps-key",
     .explain = "Acknowledges that a lease is revoked, and keeps the lease and its keys.",
     .guarantees = {}},
    [] { return std::make_unique<RevokeKeepsKey>(); });

}  // namespace
}  // namespace watchproof::fakes
