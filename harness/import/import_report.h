// SPDX-License-Identifier: Apache-2.0
// Turns the reports of etcd's robustness tests into the lines of a recording, so that watchproof's
// checkers can judge them.
//
//   for (Entry& entry : EntriesOf(reports)) recorder->Append(std::move(entry));
//
// A report contains less than the wire did. The missing parts are filled in such that they cannot
// cause a finding:
//  - key metadata (create revision, version, lease): left out; the first line of the recording
//    declares that;
//  - the time of a create request: before everything else. The time of its answer: right before
//    the first message of the watch, at the revision before that;
//  - the compact revision of ErrCompacted: the highest compaction requested until then;
//  - the end of a watch: closed by the client, so no event is missing after the last message.
// The revocation of a lease becomes the transaction that deletes its keys, with an unknown outcome
// unless it is certain which keys these were. The watch of all keys with the most events is judged
// and serves as control watch too: without one, writes without an answer cannot be settled.
//
// Threads: functions without state.
#pragma once

#include <vector>

#include "harness/history/entry.h"
#include "harness/import/client_report.h"

namespace watchproof {

// In the order of the recording.
std::vector<Entry> EntriesOf(const std::vector<ClientReport>& reports);

}  // namespace watchproof
