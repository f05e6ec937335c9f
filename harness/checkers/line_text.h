// SPDX-License-Identifier: Apache-2.0
// One line of a recording as a sentence, shown below a finding.
//
//   line 212, at 17.3 ms: stream 1 delivers to watch 3: put of "k/4" at revision 7
//
// Threads: function without state.
#pragma once

#include <string>

#include "harness/history/recorder.h"

namespace watchproof {

std::string LineText(const NumberedEntry& line);

}  // namespace watchproof
