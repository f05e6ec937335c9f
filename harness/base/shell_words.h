// SPDX-License-Identifier: Apache-2.0
// Splits a command line into words like a shell, without a shell: nothing is expanded or run.
//
//   SplitShellWords("kine --dir 'my folder'")   // {"kine", "--dir", "my folder"}
//
// Threads: a pure function.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/base/status.h"

namespace watchproof {

// Words are separated by white space. Everything between single quotes is literal; between double
// quotes and outside of quotes a backslash makes the next character literal. Errors name what is
// left open.
Result<std::vector<std::string>> SplitShellWords(std::string_view text);

}  // namespace watchproof
