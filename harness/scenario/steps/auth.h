// SPDX-License-Identifier: Apache-2.0
// The step that gives the target users. See step.h.
#pragma once

#include <string>
#include <vector>

#include "harness/scenario/step.h"

namespace watchproof {

// Adds users, each with permission to read one range and nothing else, and then enables
// authentication. From here on the writes of the plan are root's.
struct AuthStep {
  struct Reader {
    std::string user;
    std::string key;
    std::string range_end{};
    void Fields(FieldList& field) {
      field("user", user).Defines(Subject::kUser);
      field("key", key);
      field("range_end", range_end);
    }
  };
  std::vector<Reader> readers;
  static constexpr std::string_view kOp = "auth";
  void Fields(FieldList& field) { field("readers", readers); }
  std::string_view Request() const { return "users"; }
  std::string BeyondKubernetes() const { return "users"; }
  Status Run(StepContext& context) const;
};

// A user may read and write this range, too; a user that is not there yet is added. Requires that
// authentication is enabled.
struct PermitStep {
  std::string user;
  std::string key;
  std::string range_end{};
  static constexpr std::string_view kOp = "permit";
  void Fields(FieldList& field) {
    field("user", user).Defines(Subject::kUser);
    field("key", key);
    field("range_end", range_end).Optional();
  }
  std::string_view Request() const { return "users"; }
  std::string BeyondKubernetes() const { return "users"; }
  Status Run(StepContext& context) const;
};

}  // namespace watchproof
