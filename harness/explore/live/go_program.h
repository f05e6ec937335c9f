// SPDX-License-Identifier: Apache-2.0
// The recording of a script that ran alone on a fresh server as a Go program over etcd's API alone,
// for a report to the authors of the store: it needs neither watchproof nor a client library.
//
//   WP_ASSIGN_OR_RETURN(const auto lines, ReadAll(file));
//   out << GoProgram(lines, finding, SoughtOf(lines, finding));    // go run . 127.0.0.1:2379
//
// It sends what the clients of the recording sent, up to what shows the finding, and waits for what
// had come before each request. Then it looks for the finding by itself: for the message, or the
// answer, that was wrong, after all that the same watch had received; or, where something did not
// come, for that. Its last line is SHOWN or NOT SHOWN, its exit code 1 or 0. What only a person can
// do, such as killing the server, it asks for. Threads: pure functions.
#pragma once

#include <string>
#include <vector>

#include "harness/checkers/finding.h"
#include "harness/explore/live/sought.h"
#include "harness/history/recorder.h"

namespace watchproof::explore {

// Requires: it is what is sought of the finding in this recording (sought.h).
std::string GoProgram(const std::vector<NumberedEntry>& lines, const Finding& finding,
                      const Sought& sought);
// The standing promise that was asked for when the finding showed, or that it was the harness' last
// write; empty: it showed before that.
std::string PromiseAskedFor(const std::vector<NumberedEntry>& lines, const Sought& sought);

}  // namespace watchproof::explore
