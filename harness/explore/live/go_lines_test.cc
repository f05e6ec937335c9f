// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/live/go_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/history/wire_writer.h"

namespace watchproof::explore {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> Texts(StreamLines& lines, const WatchResponseView& response) {
  std::vector<std::string> texts;
  for (const StreamLine& line : lines.Of(response)) texts.push_back(line.text);
  return texts;
}

TEST(GoLinesTest, EachKindOfMessageHasItsLines) {
  StreamLines lines;
  WatchResponseView response{.watch_id = 3, .created = true};
  EXPECT_THAT(Texts(lines, response), ElementsAre("watch 3: created"));
  response = {.watch_id = 3, .canceled = true, .compact_revision = 7, .cancel_reason = "gone"};
  EXPECT_THAT(Texts(lines, response), ElementsAre("watch 3: canceled, compact revision 7: gone"));
  response.created = true;
  EXPECT_THAT(Texts(lines, response),
              ElementsAre("watch 3: created, but canceled, compact revision 7: gone"));
  response = {.watch_id = -1};
  response.header.revision = 9;
  EXPECT_THAT(Texts(lines, response), ElementsAre("watch -1: progress 9"));
  EXPECT_TRUE(lines.Of(response).front().progress);
}

TEST(GoLinesTest, ARevisionInTwoMessagesIsSeen) {
  StreamLines lines;
  WatchResponseView response{.watch_id = 1};
  EventView event{.type = 1, .has_previous = true};
  event.kv = {.key = "k", .mod_revision = 5};
  event.previous = {
      .key = "k", .value = "v", .create_revision = 4, .mod_revision = 4, .version = 1};
  response.events = {event};
  EXPECT_THAT(Texts(lines, response),
              ElementsAre("watch 1: delete \"k\" = \"\" (create 0, mod 5, version 0, lease 0); "
                          "before: \"k\" = \"v\" (create 4, mod 4, version 1, lease 0)"));
  response.events[0].has_previous = false;
  EXPECT_EQ(Texts(lines, response).front(), "watch 1: another message, of the same revision");
  response.fragment = true;
  EXPECT_EQ(Texts(lines, response).back(), "watch 1: a fragment ends");
  // What follows a fragment is of the same message.
  EXPECT_EQ(Texts(lines, response).size(), 2u);
}

TEST(GoLinesTest, AnswersShowTheirFields) {
  const auto answer = [](Method method, const Message& message) {
    return AnswerLine({.kind = EntryKind::kCallEnded,
                       .method = method,
                       .payload = Bytes::Take(std::string(message.bytes()))});
  };
  const Message kv = KeyValue({.key = "k", .value = "v", .create = 2, .mod = 3, .version = 2});
  const Message range = Message().Nested(1, Header(7)).Nested(2, kv).Number(3, 1).Number(4, 2);
  EXPECT_EQ(answer(Method::kRange, range),
            "revision 7, count 2, more true; \"k\" = \"v\" (create 2, mod 3, version 2, lease 0)");
  const Message txn =
      Message().Nested(1, Header(7)).Number(2, 1).Nested(3, Message().Nested(1, range));
  EXPECT_THAT(answer(Method::kTxn, txn),
              testing::StartsWith("revision 7, succeeded true [revision 7, count 2, more true;"));
  EXPECT_EQ(answer(Method::kPut, Message().Nested(1, Header(7)).Nested(2, kv)),
            "revision 7; before: \"k\" = \"v\" (create 2, mod 3, version 2, lease 0)");
  EXPECT_EQ(answer(Method::kLeaseLeases,
                   Message().Nested(2, Message().Number(1, 9)).Nested(2, Message().Number(1, 4))),
            "leases [4 9]");
  EXPECT_EQ(answer(Method::kLeaseTimeToLive,
                   Message().Number(2, 4).Number(3, 17).Number(4, 60).Text(5, "k")),
            "lease 4, left true, time 60 s, keys \"k\"");
  EXPECT_EQ(AnswerLine({.code = StatusCode::kOutOfRange, .text = "compacted"}),
            "error 11: compacted");
}

}  // namespace
}  // namespace watchproof::explore
