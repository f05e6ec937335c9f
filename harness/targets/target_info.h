// SPDX-License-Identifier: Apache-2.0
// The kinds of targets and how they are named on the command line.
//
// Threads: constants.
#pragma once

#include <string>
#include <vector>

#include "harness/base/status.h"

namespace watchproof {

struct TargetKindInfo {
  std::string name;     // "etcd"
  std::string grammar;  // "etcd:PATH"
  std::string explain;
};
std::vector<TargetKindInfo> TargetKinds();

struct TargetSpec {
  std::string text;                  // as given
  std::string kind;                  // "embedded", "etcd"
  std::string path;                  // of the binary
  std::string version;               // of "etcd@3.5.16"
  std::vector<std::string> defects;  // of "embedded+A+B"
};
// Grammar only; whether the binary exists or a defect is known is found at the start. Errors name
// the text and the forms that are understood.
Result<TargetSpec> ParseTargetSpec(const std::string& text);

}  // namespace watchproof
