// SPDX-License-Identifier: Apache-2.0
#include "harness/script/requests_of_steps.h"

#include <gtest/gtest.h>

#include "harness/history/annotation.h"

namespace watchproof::explore {
namespace {

TEST(Placement, ScriptsBesideEachOtherShareNothing) {
  const Placement placement("s1/", 10);
  EXPECT_EQ(placement.Key("a/1"), "s1/a/1");
  EXPECT_EQ(placement.Key("*"), "s1/");
  EXPECT_EQ(placement.End("*"), "s10");
  EXPECT_EQ(placement.End(""), "");
  EXPECT_EQ(placement.Key(""), "");  // refused, as it must be
  EXPECT_EQ(placement.Lease(2), 12);
  EXPECT_EQ(placement.Lease(0), 0);
  EXPECT_EQ(Placement().Key("*"), std::string(1, '\0'));
  EXPECT_EQ(Placement().Key("a/1"), "a/1");
}

// A finding is of a key on the server; its script is written in words.
TEST(Placement, WordsAreFoundAgain) {
  for (const Placement& placement : {Placement("s1/", 10), Placement()}) {
    for (const char* word : {"a/1", "a0", "b", "*"}) {
      EXPECT_EQ(placement.Word(placement.Key(word)), word);
      EXPECT_EQ(placement.EndWord(placement.End(word)), word);
    }
    EXPECT_EQ(placement.EndWord(""), "");
  }
  // A key of another script, or of none.
  EXPECT_EQ(Placement("s1/", 10).Word("control"), "*");
}

TEST(Placement, AWatchOfTheServerIsACreateOfTheScript) {
  const Create create = CreateOf(2,
                                 {.key = "s1/a/",
                                  .range_end = "s1/a0",
                                  .start = Revision(7),
                                  .id = WatchId(3),
                                  .options = {.prev_kv = true}},
                                 Placement("s1/", 10));
  EXPECT_EQ(Describe(create), "create stream=2 key=a/ end=a0 start=7 id=3 prev_kv=true");
}

TEST(Values, EachPutHasItsOwn) {
  Values values;
  EXPECT_EQ(values.Next(0), "v1");
  EXPECT_EQ(values.Next(5), "v2...");
  EXPECT_EQ(values.Next(1), "v3");
  EXPECT_EQ(values.given, 3);
}

TEST(RequestOf, APutKeepsWhatItIsToKeep) {
  Values values;
  const Placement placement("s1/", 10);
  const PutRequest plain =
      RequestOf(Put{.key = "b", .lease = -1, .bytes = 4, .prev_kv = true}, placement, values);
  EXPECT_EQ(plain.key, "s1/b");
  EXPECT_EQ(plain.value, "v1..");
  EXPECT_EQ(plain.lease, 9);  // of no lease of the script
  EXPECT_TRUE(plain.previous);
  EXPECT_FALSE(plain.keeps_value || plain.keeps_lease);
  // A value beside it is refused, which is worth asking now and then.
  const PutRequest kept = RequestOf(Put{.key = "b", .ignore_value = true}, placement, values);
  EXPECT_EQ(kept.value, "");
  EXPECT_TRUE(kept.keeps_value);
  const PutRequest both = RequestOf(
      Put{.key = "b", .bytes = 1, .ignore_value = true, .ignore_lease = true}, placement, values);
  EXPECT_EQ(both.value, "v2");
  EXPECT_TRUE(both.keeps_lease);
}

// A store at revision 10, with a key that is known.
std::int64_t ResolveAt10(const Place& place) {
  return place.plus + (place.from == Place::From::kHead ? 10 : 0);
}
const Known kKnown = {
    .at = ResolveAt10, .key = [](const std::string& key, const std::string& end) {
      return KeyRange(key, end).Contains("s1/b")
                 ? KnownKey{.create = 3, .mod = 8, .version = 2, .lease = 11, .value = "v5"}
                 : KnownKey();
    }};

TEST(RequestOf, AReadHasEveryField) {
  const ReadRequest read = RequestOf(Get{.key = "a/",
                                         .end = "a0",
                                         .limit = 2,
                                         .count_only = true,
                                         .keys_only = true,
                                         .sort_by = 3,
                                         .order = Order::kDescend,
                                         .min_mod = {Place::From::kHead, -6},
                                         .max_mod = {Place::From::kHead, -5},
                                         .min_create = {Place::From::kNumber, 6}},
                                     Placement("s1/", 10), kKnown);
  EXPECT_EQ(read.key, "s1/a/");
  EXPECT_EQ(read.range_end, "s1/a0");
  EXPECT_EQ(read.limit, 2);
  EXPECT_EQ(read.revision, Revision(0));
  EXPECT_TRUE(read.count_only && read.keys_only);
  EXPECT_EQ(read.order, ReadRequest::Order::kDescend);
  EXPECT_EQ(read.sort_by, ReadRequest::By::kMod);
  EXPECT_EQ(read.min_mod, Revision(4));
  EXPECT_EQ(read.max_mod, Revision(5));
  EXPECT_EQ(read.min_create, Revision(6));
  EXPECT_EQ(read.max_create, Revision(0)) << "no bound";
}

using Target = Condition::Target;
using Relation = Condition::Relation;

struct Compared {
  Condition condition;
  CompareTarget target;
  CompareResult result;
  std::int64_t number;
  std::string value;
};

void ExpectCompared(const std::vector<Compared>& rows) {
  for (const Compared& row : rows) {
    Values values;
    const TxnRequest txn =
        RequestOf(Txn{.when = {row.condition}}, Placement("s1/", 10), values, kKnown);
    ASSERT_EQ(txn.compares.size(), 1U);
    const CompareRequest& compare = txn.compares.front();
    EXPECT_EQ(compare.key, "s1/b");
    EXPECT_EQ(compare.range_end, "");
    EXPECT_EQ(compare.target, row.target) << ToText(row.condition);
    EXPECT_EQ(compare.result, row.result) << ToText(row.condition);
    EXPECT_EQ(compare.number, row.number) << ToText(row.condition);
    EXPECT_EQ(compare.value, row.value) << ToText(row.condition);
  }
}

TEST(RequestOf, AConditionComparesWhatItNames) {
  ExpectCompared({
      {{Target::kVersion, "b", "", Relation::kEqual, "2"},
       CompareTarget::kVersion,
       CompareResult::kEqual,
       2,
       ""},
      {{Target::kCreate, "b", "", Relation::kGreater, "3"},
       CompareTarget::kCreate,
       CompareResult::kGreater,
       3,
       ""},
      {{Target::kMod, "b", "", Relation::kLess, "-1"},
       CompareTarget::kMod,
       CompareResult::kLess,
       -1,
       ""},
      {{Target::kValue, "b", "", Relation::kNotEqual, "v7"},
       CompareTarget::kValue,
       CompareResult::kNotEqual,
       0,
       "v7"},
      {{Target::kLease, "b", "", Relation::kEqual, "0"},
       CompareTarget::kLease,
       CompareResult::kEqual,
       0,
       ""},
  });
}

TEST(RequestOf, AConditionComparesWhatIsThere) {
  ExpectCompared({
      {{Target::kMod, "b", "", Relation::kEqual, "there"},
       CompareTarget::kMod,
       CompareResult::kEqual,
       8,
       ""},
      {{Target::kCreate, "b", "", Relation::kEqual, "there-1"},
       CompareTarget::kCreate,
       CompareResult::kEqual,
       2,
       ""},
      {{Target::kVersion, "b", "", Relation::kLess, "there+1"},
       CompareTarget::kVersion,
       CompareResult::kLess,
       3,
       ""},
      {{Target::kLease, "b", "", Relation::kEqual, "there"},
       CompareTarget::kLease,
       CompareResult::kEqual,
       11,
       ""},
      {{Target::kValue, "b", "", Relation::kEqual, "there"},
       CompareTarget::kValue,
       CompareResult::kEqual,
       0,
       "v5"},
  });
}

TEST(KillEntry, AKillEndsEveryStreamUntilItHeals) {
  const auto armed = ParseFaultLine(KillEntry(false).text);
  const auto healed = ParseFaultLine(KillEntry(true).text);
  ASSERT_TRUE(armed.has_value() && healed.has_value());
  EXPECT_EQ(armed->fault, "kill");
  EXPECT_FALSE(armed->healed);
  EXPECT_TRUE(healed->healed);
}

TEST(Placement, EveryOperationOfATransactionIsPlaced) {
  const Txn txn{
      .when = {{.target = Condition::Target::kLease, .key = "b", .value = "1"}},
      .then = {{.key = "a/1", .lease = 1, .previous = true}},
      .otherwise = {{.kind = TxnPart::Kind::kDelete, .key = "a/", .end = "a0"}},
      .nested = {{.then = {{.kind = TxnPart::Kind::kGet,
                            .key = "*",
                            .end = "*",
                            .read = {.limit = 2, .max_mod = {Place::From::kHead, -1}}}}}}};
  Values values;
  const TxnRequest request = RequestOf(txn, Placement("s1/", 10), values, kKnown);
  EXPECT_EQ(request.compares.front().key, "s1/b");
  EXPECT_EQ(request.compares.front().number, 11);
  const auto& put = std::get<PutRequest>(request.success.front());
  EXPECT_EQ(put.key, "s1/a/1");
  EXPECT_EQ(put.lease, 11);
  EXPECT_TRUE(put.previous);
  EXPECT_EQ(std::get<DeleteRequest>(request.failure.front()).range_end, "s1/a0");
  const auto& nested = std::get<TxnRequest>(request.failure.back());
  const auto& read = std::get<ReadRequest>(nested.success.front());
  EXPECT_EQ(read.key, "s1/");
  EXPECT_EQ(read.limit, 2);
  EXPECT_EQ(read.max_mod, Revision(9));
}

// By the answers to a client's own writes, transactions included.
TEST(WrittenKeys, AreAsTheLastWriteLeftThem) {
  WrittenKeys keys;
  const auto answered = [](std::int64_t revision) {
    return Message().Nested(1, Message().Number(3, revision)).bytes();
  };
  const auto note = [&](Method method, const Message& request, const std::string& answer) {
    const std::string asked = request.bytes();
    const auto effect = AcknowledgedEffect(method, asked, answer);
    ASSERT_TRUE(effect.has_value());
    keys.Note(*effect);
  };
  const auto put = [&](const PutRequest& request, std::int64_t revision) {
    note(Method::kPut, ToMessage(request), answered(revision));
  };
  EXPECT_EQ(keys.Of("b").mod, 0);
  put({.key = "b", .value = "v1", .lease = 7}, 4);
  put({.key = "b", .keeps_value = true}, 6);
  EXPECT_EQ(keys.Of("b").create, 4);
  EXPECT_EQ(keys.Of("b").mod, 6);
  EXPECT_EQ(keys.Of("b").version, 2);
  EXPECT_EQ(keys.Of("b").value, "v1");
  EXPECT_EQ(keys.Of("b").lease, 0);
  put({.key = "d", .value = "v3"}, 7);
  EXPECT_EQ(keys.Of("a", "e").value, "v1") << "the first one of the range";
  EXPECT_EQ(keys.Of("c", kOpenEnd).value, "v3");
  EXPECT_EQ(keys.Of("b0", "d").version, 0) << "none is in it";
  EXPECT_EQ(keys.Of("a").version, 0);
  note(Method::kDeleteRange, ToMessage(DeleteRequest{.key = "a", .range_end = "c"}),
       Message().Nested(1, Message().Number(3, 8)).Number(2, 1).bytes());
  EXPECT_EQ(keys.Of("b").version, 0);
}

}  // namespace
}  // namespace watchproof::explore
