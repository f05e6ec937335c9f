// SPDX-License-Identifier: Apache-2.0
// Lines that GitHub Actions takes from a log as commands: folded groups, and annotations of a file.
// https://docs.github.com/actions/reference/workflow-commands-for-github-actions
//
//   out << Folded(AttemptText(...));      // the first line is the title of the group
//   out << Annotations(record, exists);   // after the last attempt
//
// Threads: pure functions.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "harness/report/run_record.h"

namespace watchproof {

// A text of several lines as a group that is folded; a line that would be a command, such as one
// that a store has made up, becomes text.
std::string Folded(std::string_view text);

// At most ten, which is what a step shows: new failures, regressions and errors first, then what is
// inconclusive. The last says how many more there are. They point at the case where `in_checkout`
// has its file, and have its requirement otherwise.
std::string Annotations(const RunRecord& record,
                        const std::function<bool(const std::string& file)>& in_checkout);

}  // namespace watchproof
