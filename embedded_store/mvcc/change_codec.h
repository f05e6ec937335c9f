// SPDX-License-Identifier: Apache-2.0
// How a change rests in a backend: under its revision, so that the order of the keys is the order
// of the history.
//
//   backend.Stage({{Bucket::kChange, ChangeKey(at), ChangeValue(change)}});
//   Result<Change> change = ReadChange(key, value);
//
// A key is 17 bytes: main revision, an underscore, place in the transaction, both big-endian.
// Threads: free functions without state.
#pragma once

#include <string>
#include <string_view>

#include "embedded_store/mvcc/change.h"
#include "harness/base/status.h"

namespace watchproof::store {

std::string ChangeKey(RevisionPair at);
std::string ChangeValue(const Change& change);
// kDataLoss when these were not made by the functions above.
Result<Change> ReadChange(std::string_view key, std::string_view value);

// Numbers in the meta bucket: the floors of compactions.
inline const std::string kCompactionScheduled = "compaction-scheduled";
inline const std::string kCompactionFinished = "compaction-finished";
std::string NumberValue(std::int64_t number);
Result<std::int64_t> ReadNumber(std::string_view value);

}  // namespace watchproof::store
