// SPDX-License-Identifier: Apache-2.0
#include "harness/history/wire.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "harness/base/prng.h"
#include "harness/history/wire_writer.h"

namespace watchproof {
namespace {

Message FullEvent() {
  return Message()
      .Number(1, 1)
      .Nested(2, KeyValue({.key = "k", .value = "v", .create = 2, .mod = 5, .version = 3}))
      .Nested(3, KeyValue({.key = "k", .value = "old", .create = 2, .mod = 4, .version = 2}));
}
Message FullWatchResponse() {
  return Message()
      .Nested(1, Header(9))
      .Number(2, -1)
      .Number(3, 1)
      .Number(4, 1)
      .Number(5, 7)
      .Text(6, "why")
      .Number(7, 1)
      .Nested(11, FullEvent())
      .Nested(11, Message().Nested(2, KeyValue({.key = "l", .mod = 6})));
}
Message FullCreate() {
  return Message()
      .Text(1, "a")
      .Text(2, "b")
      .Number(3, 5)
      .Number(4, 1)
      .Number(5, 1)
      .Number(6, 1)
      .Number(7, 42)
      .Number(8, 1);
}

TEST(Wire, ReadsWatchResponses) {
  const std::string bytes = FullWatchResponse().bytes();
  WatchResponseView view;
  ASSERT_TRUE(Parse(bytes, view).ok());
  EXPECT_EQ(view.header.revision, 9);
  EXPECT_EQ(view.header.cluster_id, 77u);
  EXPECT_EQ(view.watch_id, -1);
  EXPECT_TRUE(view.created && view.canceled && view.fragment);
  EXPECT_EQ(view.compact_revision, 7);
  EXPECT_EQ(view.cancel_reason, "why");
  ASSERT_EQ(view.events.size(), 2u);
  const EventView& event = view.events[0];
  EXPECT_EQ(event.type, 1);
  EXPECT_EQ(event.kv.key, "k");
  EXPECT_EQ(event.kv.value, "v");
  EXPECT_EQ(event.kv.create_revision, 2);
  EXPECT_EQ(event.kv.mod_revision, 5);
  EXPECT_EQ(event.kv.version, 3);
  EXPECT_TRUE(event.has_previous);
  EXPECT_EQ(event.previous.value, "old");
  EXPECT_EQ(view.events[1].type, 0);
  EXPECT_FALSE(view.events[1].has_previous);
  // Views, not copies.
  EXPECT_GE(event.kv.key.data(), bytes.data());
  EXPECT_LT(event.kv.key.data(), bytes.data() + bytes.size());
}

TEST(Wire, ParseOverwritesThePreviousMessage) {
  WatchResponseView view;
  const std::string full = FullWatchResponse().bytes();
  ASSERT_TRUE(Parse(full, view).ok());
  ASSERT_TRUE(Parse("", view).ok());
  EXPECT_EQ(view.header.revision, 0);
  EXPECT_FALSE(view.created || view.canceled || view.fragment);
  EXPECT_TRUE(view.events.empty() && view.cancel_reason.empty());
}

TEST(Wire, ReadsWatchRequests) {
  WatchRequestView view;
  const std::string create = Message().Nested(1, FullCreate()).bytes();
  ASSERT_TRUE(Parse(create, view).ok());
  EXPECT_EQ(view.kind, WatchRequestKind::kCreate);
  EXPECT_EQ(view.create.key, "a");
  EXPECT_EQ(view.create.range_end, "b");
  EXPECT_EQ(view.create.start_revision, 5);
  EXPECT_EQ(view.create.watch_id, 42);
  EXPECT_TRUE(view.create.progress_notify && view.create.prev_kv && view.create.fragment);
  EXPECT_TRUE(view.create.no_delete);
  EXPECT_FALSE(view.create.no_put);

  const std::string packed = Message().Nested(1, Message().Text(5, std::string("\0\1", 2))).bytes();
  ASSERT_TRUE(Parse(packed, view).ok());
  EXPECT_TRUE(view.create.no_put && view.create.no_delete);

  const std::string cancel = Message().Nested(2, Message().Number(1, 7)).bytes();
  ASSERT_TRUE(Parse(cancel, view).ok());
  EXPECT_EQ(view.kind, WatchRequestKind::kCancel);
  EXPECT_EQ(view.cancel_id, 7);

  const std::string progress = Message().Nested(3, Message()).bytes();
  ASSERT_TRUE(Parse(progress, view).ok());
  EXPECT_EQ(view.kind, WatchRequestKind::kProgress);
  ASSERT_TRUE(Parse("", view).ok());
  EXPECT_EQ(view.kind, WatchRequestKind::kNone);
}

TEST(Wire, ReadsTransactions) {
  const Message put = Message().Text(1, "k").Text(2, "v").Number(5, 1);
  const Message range = Message().Text(1, "a").Text(2, "b");
  const std::string request = Message()
                                  .Nested(1, Message().Text(3, "k"))
                                  .Nested(2, Message().Nested(2, put))
                                  .Nested(2, Message().Nested(3, range))
                                  .Nested(3, Message().Nested(4, Message()))
                                  .Nested(3, Message().Nested(1, range))
                                  .bytes();
  TxnRequestView view;
  ASSERT_TRUE(Parse(request, view).ok());
  EXPECT_EQ(view.compare.size(), 1u);
  ASSERT_EQ(view.success.size(), 2u);
  EXPECT_EQ(view.success[0].kind, Method::kPut);
  EXPECT_EQ(view.success[0].body, put.bytes());
  EXPECT_EQ(view.success[1].kind, Method::kDeleteRange);
  ASSERT_EQ(view.failure.size(), 2u);
  EXPECT_EQ(view.failure[0].kind, Method::kTxn);
  EXPECT_EQ(view.failure[1].kind, Method::kRange);
  PutRequestView inner;
  ASSERT_TRUE(Parse(view.success[0].body, inner).ok());
  EXPECT_EQ(inner.value, "v");
  EXPECT_TRUE(inner.ignore_value);

  const std::string response =
      Message().Nested(1, Header(6)).Number(2, 1).Nested(3, Message().Nested(2, Message())).bytes();
  TxnResponseView answer;
  ASSERT_TRUE(Parse(response, answer).ok());
  EXPECT_TRUE(answer.succeeded);
  EXPECT_EQ(answer.header.revision, 6);
  ASSERT_EQ(answer.responses.size(), 1u);
  EXPECT_EQ(answer.responses[0].kind, Method::kPut);
}

TEST(Wire, ReadsCompactionsAndLeases) {
  DeleteRangeResponseView deleted;
  const std::string gone = Message()
                               .Nested(1, Header(4))
                               .Number(2, 2)
                               .Nested(3, KeyValue({.key = "a"}))
                               .Nested(3, KeyValue({.key = "b"}))
                               .bytes();
  ASSERT_TRUE(Parse(gone, deleted).ok());
  EXPECT_EQ(deleted.deleted, 2);
  EXPECT_EQ(deleted.previous.size(), 2u);

  RangeResponseView range;
  const std::string read = Message()
                               .Nested(1, Header(4))
                               .Nested(2, KeyValue({.key = "a"}))
                               .Number(3, 1)
                               .Number(4, 9)
                               .bytes();
  ASSERT_TRUE(Parse(read, range).ok());
  EXPECT_EQ(range.kvs.size(), 1u);
  EXPECT_TRUE(range.more);
  EXPECT_EQ(range.count, 9);
  HeaderView header;
  ASSERT_TRUE(ParseHeader(read, header).ok());
  EXPECT_EQ(header.revision, 4);

  CompactionRequestView compaction;
  const std::string compact = Message().Number(1, 12).Number(2, 1).bytes();
  ASSERT_TRUE(Parse(compact, compaction).ok());
  EXPECT_EQ(compaction.revision, 12);
  EXPECT_TRUE(compaction.physical);

  PutResponseView put;
  const std::string before =
      Message().Nested(1, Header(4)).Nested(2, KeyValue({.key = "k", .value = "v"})).bytes();
  ASSERT_TRUE(Parse(before, put).ok());
  EXPECT_TRUE(put.has_previous);
  EXPECT_EQ(put.previous.value, "v");
}

TEST(Wire, SkipsUnknownFields) {
  const std::string bytes =
      Message()
          .Number(99, 5)
          .Raw(std::string_view("\x91\x06\1\0\0\0\0\0\0\0", 10))  // 98, 64 bits
          .Raw(std::string_view("\x8d\x06\1\0\0\0", 6))           // 97, 32 bits
          .Text(96, "x")
          .Text(2, "a watch id is no text")
          .Number(11, 3)
          .Number(5, 8)
          .bytes();
  WatchResponseView view;
  ASSERT_TRUE(Parse(bytes, view).ok());
  EXPECT_EQ(view.watch_id, 0);
  EXPECT_EQ(view.compact_revision, 8);
  EXPECT_TRUE(view.events.empty());
}

TEST(Wire, RefusesMalformedMessages) {
  const std::string eleven_bytes = "\x10" + std::string(10, '\xff') + '\x01';
  const std::vector<std::string> malformed = {
      std::string("\x00\x01", 2),  // field number 0
      "\x10",                      // no value
      eleven_bytes,                // a varint of eleven bytes
      "\x13\x14",                  // a group
      "\x16",                      // a wire type that does not exist
      "\x5a\x05"
      "abc",                                           // longer than the message
      "\x5a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",  // longer than anything
      "\x11"
      "1234567",  // seven bytes of a 64-bit number
      "\x15"
      "123",                                                // three of a 32-bit number
      Message().Nested(11, Message().Raw("\x10")).bytes(),  // a malformed event
  };
  for (const std::string& bytes : malformed) {
    WatchResponseView view;
    EXPECT_EQ(Parse(bytes, view).code(), StatusCode::kDataLoss) << testing::PrintToString(bytes);
  }
}

using Reader = std::function<bool(std::string_view)>;
template <typename View>
Reader Read() {
  return [](std::string_view bytes) {
    View view;
    return Parse(bytes, view).ok();
  };
}
std::vector<Reader> AllReaders() {
  return {Read<WatchRequestView>(),       Read<WatchResponseView>(),
          Read<RangeRequestView>(),       Read<RangeResponseView>(),
          Read<PutRequestView>(),         Read<PutResponseView>(),
          Read<DeleteRangeRequestView>(), Read<DeleteRangeResponseView>(),
          Read<TxnRequestView>(),         Read<TxnResponseView>(),
          Read<CompactionRequestView>(),  Read<CompactionResponseView>()};
}

// The outcome depends on the byte; the sanitizers check that none of them leads to a bad access.
TEST(Wire, SurvivesTruncationAndDamageAtEveryByte) {
  const std::vector<std::string> messages = {
      FullWatchResponse().bytes(), Message().Nested(1, FullCreate()).bytes(),
      Message().Nested(2, Message().Nested(2, Message().Text(1, "k").Text(2, "v"))).bytes()};
  for (const std::string& message : messages) {
    for (std::size_t i = 0; i < message.size(); ++i) {
      for (const Reader& read : AllReaders()) {
        read(std::string_view(message).substr(0, i));
        for (const unsigned flip : {0x01u, 0x80u, 0xffu}) {
          std::string damaged = message;
          damaged[i] = static_cast<char>(static_cast<unsigned char>(damaged[i]) ^ flip);
          read(damaged);
        }
      }
    }
  }
  // A message is malformed wherever its last field is cut.
  const std::string tail = Message().Nested(11, FullEvent()).bytes();
  for (std::size_t i = 1; i < tail.size(); ++i) {
    EXPECT_FALSE(Read<WatchResponseView>()(std::string_view(tail).substr(0, i))) << i;
  }
}

TEST(Wire, SurvivesNoise) {
  Prng prng(5);
  for (int round = 0; round < 2000; ++round) {
    std::string noise;
    for (std::uint64_t length = prng.Below(40); length > 0; --length) {
      noise += static_cast<char>(prng.Below(256));
    }
    for (const Reader& read : AllReaders()) read(noise);
  }
}

}  // namespace
}  // namespace watchproof
