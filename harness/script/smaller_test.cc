// SPDX-License-Identifier: Apache-2.0
#include "harness/script/smaller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace watchproof::explore {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

template <typename Kind>
std::vector<std::string> Texts(const Kind& step) {
  std::vector<std::string> texts;
  for (const Kind& smaller : Smaller(step)) texts.push_back(Describe(smaller));
  return texts;
}

TEST(Smaller, ASimpleStepIsAsSmallAsItCanBe) {
  EXPECT_THAT(Smaller(Create{.end = "*"}), IsEmpty());
  EXPECT_THAT(Smaller(Put{.key = "a/1"}), IsEmpty());
  EXPECT_THAT(Smaller(Txn{.then = {{.key = "b"}}}), IsEmpty());
  EXPECT_THAT(Smaller(Compact{}), IsEmpty());
}

TEST(Smaller, OneThingOfAStepIsSimplerAtATime) {
  EXPECT_THAT(
      Texts(
          Create{.key = "a/1", .id = 2, .options = {.prev_kv = true, .no_put = true}, .times = 9}),
      testing::UnorderedElementsAre("create stream=1 key=a/1 id=2 no_put=true times=9",
                                    "create stream=1 key=a/1 id=2 prev_kv=true times=9",
                                    "create stream=1 key=a/1 id=2 prev_kv=true no_put=true",
                                    "create stream=1 key=a/1 prev_kv=true no_put=true times=9",
                                    "create stream=1 end=* id=2 prev_kv=true no_put=true times=9"));
  EXPECT_THAT(Texts(Put{.key = "b", .lease = 1, .times = 3, .prev_kv = true}),
              ElementsAre("put key=b times=3", "put key=b lease=1 prev_kv=true",
                          "put key=a/1 lease=1 times=3 prev_kv=true"));
}

TEST(Smaller, ATransactionLosesItsPartsOneByOne) {
  const Txn txn{.when = {{.key = "b"}},
                .then = {{.key = "b"}, {.key = "a0"}},
                .otherwise = {{.key = "a/1"}},
                .nested = {{.then = {{.key = "a/2"}}}, {.then = {{.key = "a/3"}}}}};
  const std::vector<Txn> smaller = Smaller(txn);
  std::vector<std::size_t> then, otherwise, nested, when;
  for (const Txn& one : smaller) {
    then.push_back(one.then.size());
    otherwise.push_back(one.otherwise.size());
    nested.push_back(one.nested.size());
    when.push_back(one.when.size());
  }
  EXPECT_THAT(otherwise, ElementsAre(0, 1, 1, 1, 1));
  EXPECT_THAT(nested, ElementsAre(2, 0, 1, 2, 2));
  EXPECT_THAT(when, ElementsAre(1, 1, 1, 0, 1));
  EXPECT_THAT(then, ElementsAre(2, 2, 2, 2, 1));
}

TEST(Smaller, AReadLosesItsOptions) {
  EXPECT_THAT(
      Texts(Get{.key = "b", .limit = 2, .order = Order::kAscend, .max_mod = {Place::From::kHead}}),
      ElementsAre("get key=b", "get key=b order=ascend max_mod=head",
                  "get key=b limit=2 max_mod=head", "get key=b limit=2 order=ascend"));
  EXPECT_THAT(Texts(Get{.key = "b", .limit = 2, .in_parts = true}),
              ElementsAre("get key=b", "get key=b in_parts=true", "get key=b limit=2"));
  const Txn txn{.then = {{.kind = TxnPart::Kind::kGet, .key = "b", .read = {.limit = 2}}}};
  EXPECT_THAT(Texts(txn), ElementsAre("txn then=[\"get b\"]"));
}

TEST(Smaller, WhatIsAskedOftenOrAgainIsAskedOnce) {
  EXPECT_THAT(Texts(AskProgress{.times = 5}), ElementsAre("progress stream=1"));
  EXPECT_THAT(Texts(KeepAlive{2, true}), ElementsAre("keep_alive lease=2"));
  EXPECT_THAT(Texts(Compact{{Place::From::kFloor, 1}, true}), ElementsAre("compact at=floor+1"));
}

// Whatever is smaller is no longer than before, so that shrinking ends.
TEST(Smaller, NothingGrows) {
  const Put put{.key = "b", .lease = 2, .bytes = 300, .times = 7, .paced = true};
  for (const Put& one : Smaller(put)) {
    EXPECT_LT(Describe(one).size(), Describe(put).size() + 3);
    EXPECT_THAT(Texts(one), testing::Not(Contains(Describe(put))));
  }
}

}  // namespace
}  // namespace watchproof::explore
