// SPDX-License-Identifier: Apache-2.0
#include "harness/script/drawn_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace watchproof::explore {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::Ge;
using testing::IsSupersetOf;
using testing::Le;
using testing::Not;

constexpr Revision kKnown{1000};
const std::vector<std::int64_t> kLeases = {7001, 7002};

struct Drawn {
  std::set<std::string> values;
  std::set<std::int64_t> leases;     // that keys are put on
  std::set<std::int64_t> revisions;  // compared, read at, or bounds; not 0
  std::set<std::size_t> parts;       // of branches
  std::set<std::string> reads;       // options
  std::set<std::string> kept;        // by puts in transactions
  std::set<std::string> ends;        // of deletions
  int depth = 0;                     // transactions so far

  void Note(const PutRequest& put) {
    values.insert(put.value);
    leases.insert(put.lease);
    if (depth > 0 && put.keeps_value) kept.insert("value");
    if (depth > 0 && put.keeps_lease) kept.insert("lease");
  }
  void Note(const DeleteRequest& erase) { ends.insert(erase.range_end); }
  void Note(const ReadRequest& read) {
    for (const Revision one :
         {read.revision, read.min_mod, read.max_mod, read.min_create, read.max_create}) {
      if (one.value != 0) revisions.insert(one.value);
    }
    if (read.limit > 0) reads.insert("limit");
    if (read.serializable) reads.insert("serializable");
    if (read.keys_only) reads.insert("keys only");
    if (read.count_only) reads.insert("count only");
    if (read.order == ReadRequest::Order::kDescend) reads.insert("descending");
    if (read.order == ReadRequest::Order::kAscend) reads.insert("ascending");
    if (read.min_mod.value != 0) reads.insert("bound");
  }
  void Note(const TxnRequest& txn) {
    ++depth;
    for (const CompareRequest& compare : txn.compares) {
      const bool revision =
          compare.target == CompareTarget::kMod || compare.target == CompareTarget::kCreate;
      if (revision && compare.number != 0) revisions.insert(compare.number);
    }
    for (const auto* const branch : {&txn.success, &txn.failure}) {
      parts.insert(branch->size());
      for (const KvRequest& one : *branch) Note(one);
    }
  }
  void Note(const KvRequest& request) {
    std::visit([this](const auto& one) { Note(one); }, request);
  }
};

Drawn DrawMany(std::size_t client, const std::string& no_end = {}) {
  Drawn drawn;
  DrawnCalls calls("load/", client, Prng(client), no_end);
  for (int i = 0; i < 3000; ++i) drawn.Note(calls.Next(kKnown, kLeases));
  return drawn;
}

TEST(DrawnCalls, HaveEveryOption) {
  const Drawn drawn = DrawMany(1);
  EXPECT_THAT(drawn.reads, IsSupersetOf({"limit", "serializable", "keys only", "count only",
                                         "descending", "ascending", "bound"}));
  EXPECT_THAT(drawn.parts, IsSupersetOf({0U, 1U, 2U, 129U}));
  EXPECT_THAT(drawn.leases, IsSupersetOf({0, -1, 7001, 7002}));
  EXPECT_THAT(drawn.kept, IsSupersetOf({"value", "lease"}));
  EXPECT_GT(drawn.depth, 500);
}

TEST(DrawnCalls, GoOnToTheEndOfAllKeysWhereTheyMay) {
  const std::string no_end(1, '\0');
  EXPECT_THAT(DrawMany(1).ends, AllOf(Contains("load0"), Not(Contains(no_end))));
  EXPECT_THAT(DrawMany(1, no_end).ends, AllOf(Contains(no_end), Not(Contains("load0"))));
}

// An absolute small number would decide nothing on a store that has come far.
TEST(DrawnCalls, NameRevisionsNearTheKnownOne) {
  EXPECT_THAT(DrawMany(1).revisions,
              AllOf(Each(AllOf(Ge(970), Le(1002))), Contains(1000), Contains(999)));
}

TEST(DrawnCalls, OfTwoClientsWriteDifferentValues) {
  const std::set<std::string> others = DrawMany(2).values;
  for (const std::string& value : DrawMany(1).values) {
    EXPECT_TRUE(value.empty() || !others.contains(value)) << value;
  }
}

}  // namespace
}  // namespace watchproof::explore
