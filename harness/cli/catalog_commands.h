// SPDX-License-Identifier: Apache-2.0
// `watchproof list` and `watchproof explain`.
//
// Threads: pure functions that print.
#pragma once

#include <string>

#include "harness/cli/exit_code.h"

namespace watchproof {

enum class AsJson { kNo, kYes };

// `kind` in the plural ("cases"), or empty for all.
ExitCode ListCommand(const std::string& kind, AsJson json);
// Every entry of that name; an unknown one gets the closest match.
ExitCode ExplainCommand(const std::string& name, AsJson json);

}  // namespace watchproof
