// SPDX-License-Identifier: Apache-2.0
// Behaviour claims-nothing: see its explanation below.
#include "ci/fakes/behaviour.h"

namespace watchproof::fakes {
namespace {

class IgnoresOptions final : public WatchTamper {
  void Asked(WatchRequest& request, Wire& wire) override {
    if (request.has_progress_request()) {
      return wire.Tampered("left a request for progress without an answer");
    }
    if (request.has_create_request()) {
      WatchCreateRequest& create = *request.mutable_create_request();
      const std::string before = create.SerializeAsString();
      create.clear_progress_notify();
      create.clear_filters();
      create.clear_prev_kv();
      create.clear_watch_id();
      create.clear_fragment();
      if (create.SerializeAsString() != before) wire.Tampered("ignored the options of a create");
    }
    wire.ToStore(request);
  }
};

class ClaimsNothing final : public Behaviour {
  std::unique_ptr<WatchTamper> NewStream() override { return std::make_unique<IgnoresOptions>(); }
  CallPlan Plan(const std::string& method) override {
    if (!method.starts_with("/etcdserverpb.Lease/") && !method.starts_with("/etcdserverpb.Auth/") &&
        method != "/etcdserverpb.KV/Compact") {
      return {.method = method};
    }
    return {.method = method,
            .fate = CallFate::kRefuse,
            .refusal = {grpc::StatusCode::UNIMPLEMENTED, "unknown method"},
            .tampered = "not implemented"};
  }
};

const BehaviourRegistration kClaimsNothing(
    {.name = "claims-nothing",
     .explain = "Ignores every option of a create and all requests for progress; "
                "compaction, leases and users are not implemented.",
     .guarantees = {}},
    [] { return std::make_unique<ClaimsNothing>(); });

}  // namespace
}  // namespace watchproof::fakes
