// SPDX-License-Identifier: Apache-2.0
#include "harness/targets/target.h"

namespace watchproof {

Result<std::unique_ptr<Target>> MakeTarget(const TargetSpec& spec) { return spec.make(spec); }

Status Target::Kill() {
  return Fail(StatusCode::kUnimplemented, "this target cannot survive a kill");
}

Status Target::Terminate(Deadline) { return Target::Kill(); }

Status Target::Restart(Deadline, const std::string&) {
  return Fail(StatusCode::kUnimplemented, "this target cannot be started again with its data");
}

Status Target::Pause() {
  return Fail(StatusCode::kUnimplemented, "this target is not a process that the harness started");
}

Status Target::Continue() { return Target::Pause(); }

}  // namespace watchproof
