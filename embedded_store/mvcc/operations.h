// SPDX-License-Identifier: Apache-2.0
// Requests to the store and their answers: etcd's key-value operations without their wire form.
//
//   store.Put({.key = "k", .value = "v"});
//   store.Range({.range = {"a", "b"}, .at = Revision{7}});
//
// Threads: values. Every answer carries the store's revision as it must appear in the header of the
// response, and the ticket that must be safe before a client may see the answer. Answers inside a
// transaction leave the ticket to the outermost.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "embedded_store/backend/backend.h"
#include "embedded_store/mvcc/change.h"
#include "embedded_store/mvcc/key_range.h"

namespace watchproof::store {

enum class SortOrder { kNone, kAscend, kDescend };
enum class SortTarget { kKey, kVersion, kCreate, kMod, kValue };

struct RangeQuery {
  KeyRange range;
  std::int64_t limit = 0;  // 0: none
  Revision at{0};          // 0 or less: the current one
  SortOrder order = SortOrder::kNone;
  SortTarget target = SortTarget::kKey;
  bool keys_only = false;
  bool count_only = false;
  // Without, the answer's count ends at the limit, and so does the work.
  bool count_all = true;
  // 0: no bound. They thin the list out after counting.
  Revision min_mod{0};
  Revision max_mod{0};
  Revision min_create{0};
  Revision max_create{0};
  bool bounded() const {
    return min_mod.value != 0 || max_mod.value != 0 || min_create.value != 0 ||
           max_create.value != 0;
  }
};
struct RangeAnswer {
  Revision revision;
  Ticket ticket{};
  std::vector<KeyValue> kvs;
  bool more = false;
  std::int64_t count = 0;  // of the whole range, whatever the limit and the bounds
};

struct PutOp {
  std::string key;
  std::string value;
  std::int64_t lease = 0;
  bool want_previous = false;
  bool ignore_value = false;  // keep the value that is there
  bool ignore_lease = false;
};
struct PutAnswer {
  Revision revision;
  Ticket ticket{};
  std::optional<KeyValue> previous;
};

struct DeleteOp {
  KeyRange range;
  bool want_previous = false;
};
struct DeleteAnswer {
  Revision revision;
  Ticket ticket{};
  std::int64_t deleted = 0;
  std::vector<KeyValue> previous;
};

// What a client names that does not exist: such a target counts as equal, such a result holds.
enum class CompareTarget { kVersion, kCreate, kMod, kValue, kLease, kNothing };
enum class CompareResult { kEqual, kGreater, kLess, kNotEqual, kAlways };
// Holds when it holds for every key of the range. A range without keys compares as one key that is
// all zeros, except that no comparison of values holds for it.
struct Compare {
  KeyRange range;
  CompareTarget target = CompareTarget::kVersion;
  CompareResult result = CompareResult::kEqual;
  std::int64_t number = 0;
  std::string value;
};

struct TxnOp;
// The empty alternative is an operation without a kind; it is refused.
using Operation = std::variant<std::monostate, RangeQuery, PutOp, DeleteOp, TxnOp>;
struct TxnOp {
  std::vector<Compare> compares;
  std::vector<Operation> success;
  std::vector<Operation> failure;
};
struct TxnAnswer;
using Answer = std::variant<RangeAnswer, PutAnswer, DeleteAnswer, TxnAnswer>;
struct TxnAnswer {
  Revision revision;
  Ticket ticket{};
  bool succeeded = false;
  std::vector<Answer> answers;
};

struct CompactAnswer {
  Revision revision;
  Ticket ticket{};
};

}  // namespace watchproof::store
