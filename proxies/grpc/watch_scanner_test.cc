// SPDX-License-Identifier: Apache-2.0
#include "proxies/grpc/watch_scanner.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace watchproof::proxy {
namespace {

using Kind = WatchOffset::Kind;
using Side = WatchScanner::Side;

// As a server writes it: header with revision 9, watch 3, fragment, events at 8 (with a previous
// value at 4) and 9.
const std::string kBody(
    "\x0a\x06\x08\x01\x10\x02\x18\x09"
    "\x10\x03\x38\x01"
    "\x5a\x0d\x12\x05\x0a\x01k\x18\x08\x1a\x04\x0a\x00\x18\x04"
    "\x5a\x04\x12\x02\x18\x09",
    8 + 4 + 15 + 6);

std::string Framed(const std::string& body, char compressed = 0) {
  std::string bytes{compressed, 0, 0, 0, static_cast<char>(body.size())};
  return bytes + body;
}

// Feeds in pieces of this size; places are made absolute.
std::vector<WatchOffset> Scan(Side side, const std::string& bytes, std::size_t size) {
  WatchScanner scanner(side);
  std::vector<WatchOffset> all;
  for (std::size_t at = 0; at < bytes.size(); at += size) {
    for (WatchOffset offset : scanner.Feed(std::string_view(bytes).substr(at, size))) {
      offset.end += at;
      all.push_back(offset);
    }
  }
  return all;
}

TEST(WatchScanner, ReadsAResponseWhereverItIsCut) {
  const std::string bytes = Framed(kBody);
  for (std::size_t size = 1; size <= bytes.size(); ++size) {
    const auto offsets = Scan(Side::kResponses, bytes, size);
    ASSERT_EQ(offsets.size(), 4U) << size;
    EXPECT_EQ(offsets[0].kind, Kind::kHead);
    EXPECT_EQ(offsets[0].facts.watch_id, 3);
    EXPECT_EQ(offsets[0].facts.revision, 9);
    EXPECT_TRUE(offsets[0].facts.fragment);
    EXPECT_EQ(offsets[0].facts.events, 0);
    EXPECT_EQ(offsets[1].kind, Kind::kEvent);
    EXPECT_EQ(offsets[1].facts.event_revision, 8);
    EXPECT_EQ(offsets[1].end, bytes.size() - 6);
    EXPECT_EQ(offsets[2].facts.event_revision, 9);
    EXPECT_EQ(offsets[3].kind, Kind::kEnd);
    EXPECT_EQ(offsets[3].facts.events, 2);
    EXPECT_EQ(offsets[3].end, bytes.size());
  }
}

TEST(WatchScanner, ReportsWhereEachMessageBegins) {
  const std::string created = Framed(std::string("\x10\x07\x18\x01", 4));
  WatchScanner scanner(Side::kResponses);
  const auto offsets = scanner.Feed(created + created);
  ASSERT_EQ(offsets.size(), 4U);
  EXPECT_EQ(offsets[1].begin, 0U);
  EXPECT_EQ(offsets[3].begin, created.size());
  EXPECT_TRUE(offsets[2].facts.created);
  EXPECT_FALSE(offsets[3].facts.is_progress());
}

TEST(WatchScanner, ReportsMessagesBegunInAnEarlierPiece) {
  const std::string created = Framed(std::string("\x10\x07\x18\x01", 4));
  WatchScanner scanner(Side::kResponses);
  EXPECT_TRUE(scanner.Feed(created.substr(0, 6)).empty());
  const auto offsets = scanner.Feed(created.substr(6) + created);
  ASSERT_EQ(offsets.size(), 4U);
  EXPECT_TRUE(offsets[1].began_before);
  EXPECT_FALSE(offsets[2].began_before);
  // Seen from behind its first byte, the second one began before as well.
  EXPECT_TRUE(offsets[2].After(offsets[2].begin + 1).began_before);
  EXPECT_FALSE(offsets[2].After(offsets[2].begin).began_before);
}

TEST(WatchScanner, RecognisesProgressByMissingFields) {
  const auto offsets = Scan(Side::kResponses, Framed("\x0a\x02\x18\x09"), 100);
  ASSERT_EQ(offsets.size(), 2U);
  EXPECT_TRUE(offsets[1].facts.is_progress());
  EXPECT_EQ(offsets[1].facts.revision, 9);
}

TEST(WatchScanner, ReadsNegativeWatchIds) {
  const std::string all("\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
  EXPECT_EQ(Scan(Side::kResponses, Framed(all), 100).back().facts.watch_id, -1);
}

TEST(WatchScanner, ReadsCreateRequests) {
  const auto offsets = Scan(Side::kRequests, Framed("\x0a\x07\x0a\x01k\x18\x05\x38\x04"), 1);
  ASSERT_EQ(offsets.back().kind, Kind::kEnd);
  EXPECT_TRUE(offsets.back().facts.created);
  EXPECT_EQ(offsets.back().facts.revision, 5);
  EXPECT_EQ(offsets.back().facts.watch_id, 4);
}

TEST(WatchScanner, FindsTheEndOfMessagesThatItCannotRead) {
  const std::string unreadable[] = {
      Framed("\x10\x03", 1),              // compressed
      Framed("\x0a\x7f\x18"),             // longer inside than outside
      Framed("\x0a\x01\x18"),             // ends inside a field
      Framed("\x17"),                     // a wire type that does not exist
      Framed(std::string(11, '\xff')),    // a number without end
      Framed(std::string("\x00\x01", 2))  // no field has the number 0
  };
  for (const std::string& bytes : unreadable) {
    const auto offsets = Scan(Side::kResponses, bytes + Framed("\x10\x05"), 3);
    ASSERT_GE(offsets.size(), 4U) << bytes.size();
    EXPECT_FALSE(offsets[offsets.size() - 3].facts.readable) << bytes.size();
    EXPECT_EQ(offsets.back().facts.watch_id, 5) << bytes.size();
  }
}

TEST(WatchScanner, GivesUpOnOtherProtocols) {
  WatchScanner scanner(Side::kResponses);
  for (const std::string& piece : {std::string("<html>"), Framed("\x10\x05")}) {
    const auto offsets = scanner.Feed(piece);
    ASSERT_EQ(offsets.size(), 1U);
    EXPECT_EQ(offsets[0].kind, Kind::kHead);
    EXPECT_FALSE(offsets[0].facts.readable);
    EXPECT_TRUE(scanner.lost());
  }
}

}  // namespace
}  // namespace watchproof::proxy
