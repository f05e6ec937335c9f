// SPDX-License-Identifier: Apache-2.0
#include "harness/script/in_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace watchproof::explore {
namespace {

TEST(InWords, StepsReadAsAPersonWouldWriteThem) {
  struct Row {
    Step step;
    std::string text;
  };
  const TxnPart erase{TxnPart::Kind::kDelete, "a/", "a0"};
  for (const Row& row : std::vector<Row>{
           {Put{.key = "a/1", .times = 100}, "put a/1 (100 times)"},
           {Put{.key = "b", .lease = 1, .bytes = 9, .prev_kv = true},
            "put b with lease 1, 9 bytes, asking for the previous value"},
           {Create{.end = "*"}, "watch every key on stream 1"},
           {Create{.stream = 2,
           .key = "a/",
           .end = "a0",
           .start = {Place::From::kFloor, -1},
           .id = 3,
           .options = {.prev_kv = true},
           .times = 5},
            "watch the keys from a/ to a0 on stream 2 from the floor - 1, as watch 3, with "
            "previous values (5 times)"},
           {Create{.key = "a", .start = {Place::From::kNumber, -7}},
            "watch a on stream 1 from revision -7"},
           {Delete{.key = "*", .end = "b"}, "delete every key below b"},
           {Delete{.key = "b", .end = "*"}, "delete every key from b on"},
           {Get{.end = "*", .limit = 2, .sort_by = 3, .descending = true, .min_mod = 4},
            "get every key, at most 2, by mod revision, descending, mod revision at least 4"},
           {Compact{{Place::From::kHead, -2}}, "compact at the latest revision - 2"},
           {Txn{.then = {{.key = "b"}, erase}}, "txn: put b; delete the keys from a/ to a0"},
           {Txn{.when = {{.target = Condition::Target::kMod, .key = "b"}},
           .otherwise = {erase},
           .nested = {{.then = {{.key = "c"}}}}},
            "txn: if mod b = 0: (txn: put c), else: delete the keys from a/ to a0; (txn: put c)"},
           {Receive{1, 2}, "read 2 messages of stream 1, and no more"},
           {Receive{1, kEveryReply}, "read all that comes on stream 1"},
           {Crash{1},
            "kill the store and start it again, with the oldest 1 write that waited for "
            "a sync"},
           {CrashPoint{.nth = 2, .how = CrashPoint::How::kPower},
            "kill the server at call 2 to its disk, with the power, and start it again"},
           {Disturb{.member = 3}, "cut member 3 off from the others"},
           {Turn{Loop::kVictims}, "let the store give watches that were full what waits for them"},
       }) {
    EXPECT_EQ(InWords(row.step), row.text);
  }
}

}  // namespace
}  // namespace watchproof::explore
