// SPDX-License-Identifier: Apache-2.0
#include "harness/history/dump.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "harness/history/wire_writer.h"

namespace watchproof {
namespace {

Entry Response(std::int64_t watch, const std::string& key, std::int64_t revision) {
  const Message kv = Message().Text(1, key).Number(3, revision).Text(5, std::string(70, 'v'));
  const Message message =
      Message().Nested(1, Header(revision)).Optional(2, watch).Nested(11, Message().Nested(2, kv));
  return {.kind = EntryKind::kResponseReceived,
          .stream = StreamId(1),
          .at = 1500us,
          .payload = Bytes::Copy(message.bytes())};
}

TEST(Dump, ShowsAResponseWithItsEventsAndCutsLongValues) {
  EXPECT_EQ(DumpLine({.line = Line(7), .entry = Response(3, "k", 9)}),
            R"({"line":7,"at_ms":1.5,"kind":"response","stream":1,"watch_id":3,"revision":9,)"
            R"("events":[{"type":"put","key":"k","mod_revision":9,"value":")" +
                std::string(64, 'v') + R"(","value_bytes":70}]})");
}

Entry Call(EntryKind kind, Method method, const Message& message) {
  return {.kind = kind,
          .method = method,
          .call = CallId(4),
          .at = 1ms,
          .payload = Bytes::Copy(message.bytes())};
}
TEST(Dump, ShowsGrantAndRevocationOfALease) {
  const auto dump = [](const Entry& entry) { return DumpLine({.line = Line(1), .entry = entry}); };
  const std::string begin = R"({"line":1,"at_ms":1.0,"kind":"call )";
  EXPECT_EQ(dump(Call(EntryKind::kCallStarted, Method::kLeaseGrant, Message().Number(1, 60))),
            begin + R"(started","call":4,"method":"lease grant","ttl":60})");
  EXPECT_EQ(dump(Call(EntryKind::kCallEnded, Method::kLeaseGrant,
                      Message().Nested(1, Header(9)).Number(2, 77))),
            begin + R"(ended","call":4,"method":"lease grant","revision":9,"lease":77})");
  EXPECT_EQ(dump(Call(EntryKind::kCallStarted, Method::kPut,
                      Message().Text(1, "k").Text(2, "v").Number(3, 77))),
            begin + R"(started","call":4,"method":"put","key":"k","value":"v","lease":77})");
  EXPECT_EQ(dump(Call(EntryKind::kCallStarted, Method::kLeaseRevoke, Message().Number(1, 77))),
            begin + R"(started","call":4,"method":"lease revoke","lease":77})");
}

TEST(Dump, ReportsAMalformedMessage) {
  Entry entry = Response(3, "k", 9);
  entry.payload = Bytes::Copy(entry.payload.view().substr(0, 20));
  EXPECT_NE(DumpLine({.line = Line(1), .entry = entry}).find("malformed"), std::string::npos);
}

TEST(Dump, ExcerptHoldsTheEvidenceAndTheMessagesNextToIt) {
  const auto file =
      std::filesystem::path(testing::TempDir()) / fmt::format("wp-dump-{}.zst", getpid());
  auto recorder = Recorder::Open({.file = file});
  ASSERT_TRUE(recorder.has_value());
  for (std::int64_t revision = 2; revision < 22; ++revision) {
    (*recorder)->Append(Response(revision % 2, fmt::format("k{}", revision), revision));
  }
  ASSERT_TRUE((*recorder)->Close().ok());
  const auto excerpts = ExcerptFor(file, {{Line(9)}, {}});
  std::filesystem::remove(file);
  ASSERT_TRUE(excerpts.has_value()) << excerpts.error().message();
  std::string lines;
  for (int line = 1; line <= 20; ++line) {
    if (excerpts->at(0).find(fmt::format("{{\"line\":{},", line)) != std::string::npos) {
      lines += fmt::format("{} ", line);
    }
  }
  EXPECT_EQ(lines, "3 5 7 9 11 13 15 ");
  EXPECT_EQ(excerpts->at(1), "[]");
}

}  // namespace
}  // namespace watchproof
