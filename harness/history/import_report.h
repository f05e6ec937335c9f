// SPDX-License-Identifier: Apache-2.0
// Turns the reports of etcd's robustness tests into the lines of a recording, so that their
// evidence is judged by our rules.
//
//   for (Entry& entry : EntriesOf(reports)) recorder->Append(std::move(entry));
//
// A report tells less than the wire did. What it does not tell is put in so that nothing can be
// found because of it:
//  - marks of keys (create revision, version, lease): left out, and the recording says so;
//  - when a watch was asked for: before everything else. When it was created: right before its
//    first answer, at the revision before that;
//  - the compact revision of ErrCompacted: the highest compaction that had been asked for;
//  - who closed a watch, and what was still on its way then: the client did, so nothing is missing
//    behind the last answer.
// The revoking of a lease stands as the transaction that deletes its keys, with an unknown outcome
// unless it is certain which keys these were. The watch of all keys that was told most is the
// witness beside being judged: without one, writes without an answer cannot be settled.
//
// Threads: functions without state.
#pragma once

#include <vector>

#include "harness/history/client_report.h"
#include "harness/history/entry.h"

namespace watchproof {

// In the order of the recording.
std::vector<Entry> EntriesOf(const std::vector<ClientReport>& reports);

}  // namespace watchproof
