// SPDX-License-Identifier: Apache-2.0
// watchproof.toml: flags of `run` by their names, for every command that runs cases.
//
//   target = ["embedded", "etcd@3.5.16"]
//   jobs = 4
//   no-faults = true
//
// Threads: pure functions.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/status.h"

namespace watchproof {

enum class FlagKind { kSwitch, kText, kTexts };
using KnownFlags = std::map<std::string, FlagKind>;  // "--jobs"

// The values of each flag, in the form of the command line: "true", "4". Errors name the line, the
// key and what was expected; for a key that is no flag the nearest one.
Result<std::map<std::string, std::vector<std::string>>> ParseConfig(std::string_view text,
                                                                    const KnownFlags& known);

}  // namespace watchproof
