// SPDX-License-Identifier: Apache-2.0
// What the first line of a recording says about the attempt that made it.
//
//   WP_ASSIGN_OR_RETURN(RunStarted started, ParseRunStarted(line.entry.text));
//
// Threads: values.
#pragma once

#include <string>
#include <string_view>

#include "harness/base/status.h"

namespace watchproof {

struct RunStarted {
  std::string case_name;
  std::string seed;
  std::string version;  // of the target
  std::string product;  // "etcd"; empty: another one, or unknown
  int members = 0;      // of its cluster; 0: unknown
  bool permit_compacted_at_the_floor = false;
  bool strict_previous = false;
  bool gaps = false;           // others write to the target, or it leaves revisions out
  bool without_marks = false;  // of keys: create revision, version and lease were not recorded
};

// What is missing keeps its default, as older recordings lack some of it.
Result<RunStarted> ParseRunStarted(std::string_view text);

}  // namespace watchproof
