// SPDX-License-Identifier: Apache-2.0
// Behaviour revoke-keeps-key: see its explanation below.
#include "ci/fakes/behaviour.h"

namespace watchproof::fakes {
namespace {

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
