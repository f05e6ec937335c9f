// SPDX-License-Identifier: Apache-2.0
// Which findings are of one kind.
//
//   buckets[ShapeOf(finding)]
//
// Threads: pure functions.
#pragma once

#include <string>
#include <string_view>

#include "harness/checkers/finding.h"

namespace watchproof::explore {

// For grouping: "revision 7 of \"a\"" becomes "revision N of \"...\"".
std::string WithoutNumbers(std::string_view text);
// Equal for findings of one kind: the guarantee, and what was expected without the numbers and keys
// in it, and of the same signature.
std::string ShapeOf(const Finding& finding);
std::string ShapeFrom(std::string_view guarantee, std::string_view expected,
                      std::string_view signature);

}  // namespace watchproof::explore
