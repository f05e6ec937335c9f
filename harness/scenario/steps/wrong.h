// SPDX-License-Identifier: Apache-2.0
// The step that asks for what must be refused. See step.h.
#pragma once

#include <string>

#include "harness/scenario/step.h"

namespace watchproof {

// Makes one request of wrong_requests.h by its name, and before and after it reads
// what would show an effect of it. Releases of etcd that are known not to refuse it are not asked,
// unless they are `anyway`.
struct WrongRequestStep {
  std::string request;
  std::string key;      // the request's keys begin with it
  std::string lease{};  // that is there, where it is about leases
  std::string user{};   // with a right to read the key and what begins with it; see AuthStep
  bool anyway = false;
  static constexpr std::string_view kOp = "wrong request";
  void Fields(FieldList& field) {
    field("request", request);
    field("key", key);
    field("lease", lease).Optional().Uses(Subject::kLease);
    field("user", user).Optional().Uses(Subject::kUser);
    field("anyway", anyway).Optional();
  }
  std::string_view Request() const { return "a wrong request"; }
  Usage Cost() const;
  std::string BeyondKubernetes() const { return "a wrong request"; }
  Status Check() const;
  Status Run(StepContext& context) const;
};

}  // namespace watchproof
