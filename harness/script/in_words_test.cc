// SPDX-License-Identifier: Apache-2.0
#include "harness/script/in_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace watchproof::explore {
namespace {

struct Row {
  Step step;
  std::string text;
};

TEST(InWords, OptionsReadAsAPersonWouldWriteThem) {
  for (const Row& row : std::vector<Row>{
           {Compact{{Place::From::kFloor, 1}, true},
            "compact at the floor + 1, answered once it is erased"},
           {AskProgress{.times = 3}, "ask for progress on stream 1 (3 times)"},
           {KeepAlive{2, true}, "renew lease 2, on the stream that is kept for it"},
           {Hash{{Place::From::kHead, -1}},
            "ask for a hash of the history up to the latest revision - 1"},
           {Txn{.then = {{.key = "b", .previous = true},
                         {.kind = TxnPart::Kind::kGet,
                         .key = "a/",
                         .end = "a0",
                         .read = {.order = Order::kAscend}}}},
            "txn: put b, asking for what it was; get the keys from a/ to a0, by key, ascending"},
       }) {
    EXPECT_EQ(InWords(row.step), row.text);
  }
}

TEST(InWords, StepsReadAsAPersonWouldWriteThem) {
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
           {Get{.end = "*",
           .limit = 2,
           .sort_by = 3,
           .order = Order::kDescend,
           .min_mod = {Place::From::kHead, -4}},
            "get every key, at most 2, by mod revision, descending, mod revision at least head-4"},
           {Get{.key = "b", .limit = 2, .in_parts = true}, "get b, at most 2, in parts"},
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
