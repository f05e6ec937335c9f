// SPDX-License-Identifier: Apache-2.0
// Reads of one state of the store: ranges with etcd's limits, bounds and orders, and comparisons.
//
//   Result<RangeAnswer> answer = ReadView{index, log, current, compacted}.Range(query);
//
// Not thread-safe. Ownership: borrows index and log, which outlive it.
#pragma once

#include <optional>
#include <string>

#include "embedded_store/mvcc/change_log.h"
#include "embedded_store/mvcc/key_index.h"
#include "embedded_store/mvcc/operations.h"
#include "harness/base/status.h"

namespace watchproof::store {

class ReadView {
 public:
  ReadView(const KeyIndex& index, const ChangeLog& log, Revision current, Revision compacted)
      : index_(index), log_(log), current_(current), compacted_(compacted) {}

  Result<RangeAnswer> Range(const RangeQuery& query) const;
  // Refuses revisions that are gone or not there yet; 0 means the current one.
  Status CheckRevision(Revision at) const;
  bool Holds(const Compare& compare) const;
  // The version a key had at a revision; null when there was none or the revision is compacted.
  ChangePtr FindAt(const std::string& key, Revision at) const;

 private:
  const KeyIndex& index_;
  const ChangeLog& log_;
  const Revision current_;
  const Revision compacted_;
};

}  // namespace watchproof::store
