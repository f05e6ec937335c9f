// SPDX-License-Identifier: Apache-2.0
#include "harness/capture/capture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/capture/open_watches.h"
#include "harness/capture/segment_writer.h"
#include "harness/capture/value_hasher.h"
#include "harness/history/annotation.h"
#include "harness/history/reader.h"
#include "harness/history/wire.h"
#include "proxies/http2/test_frames.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;
using proxy::ConnectionId;
using proxy::Direction;
using testing::ElementsAre;

fs::path NewFolder() {
  const auto* const test = testing::UnitTest::GetInstance()->current_test_info();
  const fs::path folder = fs::path(testing::TempDir()) / "capture" / test->name();
  fs::remove_all(folder);
  return folder;
}

std::vector<NumberedEntry> Lines(const fs::path& recording) {
  std::vector<NumberedEntry> lines;
  const auto reader = HistoryReader::Open(recording);
  EXPECT_TRUE(reader.has_value()) << reader.error().message();
  while (reader.has_value()) {
    auto line = (*reader)->Next();
    if (!line.has_value() || !*line) break;
    lines.push_back(**std::move(line));
  }
  return lines;
}
std::vector<std::string> Kinds(const std::vector<NumberedEntry>& lines) {
  std::vector<std::string> kinds;
  for (const NumberedEntry& line : lines) kinds.emplace_back(Name(line.entry.kind));
  return kinds;
}

std::string Grpc(const std::string& message) {
  return std::string{0, 0, 0, 0, static_cast<char>(message.size())} + message;
}
constexpr std::string_view kOk(
    "\0\x0bgrpc-status\x01"
    "0",
    15);
const std::string kWatch = "/etcdserverpb.Watch/Watch";

// A connection, as the proxy shows it.
struct Client {
  Client(Capture& to, int id) : capture(to), connection(id) {
    Send(std::string(proxy::kPreface) + proxy::Settings());
    Receive(proxy::Settings());
  }
  void Send(std::string_view bytes) { Pass(Direction::kToTarget, bytes); }
  void Receive(std::string_view bytes) { Pass(Direction::kToClient, bytes); }
  void Pass(Direction direction, std::string_view bytes) {
    capture.OnBytes(connection, direction, bytes, Clock::now());
  }
  void Put(std::uint32_t stream) {
    Send(proxy::Headers(stream, proxy::PathBlock("/etcdserverpb.KV/Put")));
    Send(proxy::Data(stream, Grpc(Message().Text(1, "k").Text(2, "secret").bytes())));
    Receive(proxy::Data(stream, Grpc(Message().Nested(1, Header(5)).bytes())));
    Receive(proxy::Headers(stream, kOk, proxy::kFlagEndHeaders | proxy::kFlagEndStream));
  }
  void Watch(std::uint32_t stream) {
    Send(proxy::Headers(stream, proxy::PathBlock(kWatch)));
    Send(proxy::Data(stream, Grpc(CreateRequest({.key = "k"}).bytes())));
    Receive(proxy::Data(stream, Grpc(Created(4).bytes())));
  }
  static Message Created(std::int64_t revision) {
    return Message().Nested(1, Header(revision)).Number(3, 1);
  }
  Capture& capture;
  const ConnectionId connection;
};

TEST(Capture, RecordsCallsAndWatches) {
  const fs::path folder = NewFolder();
  const auto capture = Capture::Open({.folder = folder});
  ASSERT_TRUE(capture.has_value()) << capture.error().message();
  Client client(**capture, 1);
  client.Watch(1);
  client.Put(3);
  (*capture)->OnOver(client.connection);
  ASSERT_TRUE((*capture)->Close().ok());
  const auto lines = Lines(folder);
  ASSERT_THAT(Kinds(lines), ElementsAre("run started", "stream opened", "request", "response",
                                        "call started", "call ended", "stream closed"));
  EXPECT_EQ(lines[4].entry.method, Method::kPut);
  EXPECT_EQ(lines[5].entry.code, StatusCode::kOk);
  EXPECT_EQ(lines[6].entry.code, StatusCode::kUnavailable);
  EXPECT_GE(lines[5].entry.at, lines[4].entry.at);
}

// Each request on the stream is a call of its own; the last one has no answer when it ends.
TEST(Capture, RecordsKeepAlives) {
  const fs::path folder = NewFolder();
  const auto capture = Capture::Open({.folder = folder});
  ASSERT_TRUE(capture.has_value()) << capture.error().message();
  Client client(**capture, 1);
  client.Send(proxy::Headers(1, proxy::PathBlock("/etcdserverpb.Lease/LeaseKeepAlive")));
  for (const bool answered : {true, true, false}) {
    client.Send(proxy::Data(1, Grpc(Message().Number(1, 7).bytes())));
    if (!answered) continue;
    const Message kept = Message().Nested(1, Header(5)).Number(2, 7).Number(3, 60);
    client.Receive(proxy::Data(1, Grpc(kept.bytes())));
  }
  client.Receive(proxy::Headers(1, kOk, proxy::kFlagEndHeaders | proxy::kFlagEndStream));
  ASSERT_TRUE((*capture)->Close().ok());
  std::vector<std::pair<std::uint32_t, StatusCode>> ended;
  for (const NumberedEntry& line : Lines(folder)) {
    if (line.entry.kind != EntryKind::kCallEnded) continue;
    EXPECT_EQ(line.entry.method, Method::kLeaseKeepAlive);
    EXPECT_EQ(line.entry.payload.view().empty(), line.entry.code != StatusCode::kOk);
    ended.emplace_back(line.entry.call.value, line.entry.code);
  }
  EXPECT_THAT(ended, ElementsAre(std::pair(1U, StatusCode::kOk), std::pair(2U, StatusCode::kOk),
                                 std::pair(3U, StatusCode::kUnknown)));
}

TEST(Capture, AFolderWithARecordingIsRefused) {
  const fs::path folder = NewFolder();
  ASSERT_TRUE(Capture::Open({.folder = folder}).has_value());
  const auto again = Capture::Open({.folder = folder});
  ASSERT_FALSE(again.has_value());
  EXPECT_THAT(again.error().message(), testing::HasSubstr("segment-000001.wire.zst"));
}

// What does not fit into the queue ends the recording of its connection, with a line that says so.
TEST(Capture, SaysWhatItCouldNotTake) {
  const fs::path folder = NewFolder();
  const auto capture = Capture::Open({.folder = folder, .queue = ByteCount(2000)});
  ASSERT_TRUE(capture.has_value());
  Client client(**capture, 1);
  client.Watch(1);
  client.Receive(std::string(3000, 'x'));
  client.Put(3);
  Client other(**capture, 2);
  other.Put(1);
  ASSERT_TRUE((*capture)->Close().ok());
  std::vector<std::string> lost;
  std::vector<Method> methods;
  for (const NumberedEntry& line : Lines(folder)) {
    if (line.entry.kind == EntryKind::kAnnotation) lost.push_back(line.entry.text);
    if (line.entry.kind == EntryKind::kCallEnded) methods.push_back(line.entry.method);
  }
  ASSERT_THAT(lost, ElementsAre(testing::HasSubstr("could not keep up")));
  EXPECT_THAT(lost[0], testing::HasSubstr(R"("streams":1)"));
  EXPECT_THAT(methods, ElementsAre(Method::kPut));
}

TEST(Capture, OtherProtocolsAreNamedAsSuch) {
  const fs::path folder = NewFolder();
  const auto capture = Capture::Open({.folder = folder});
  ASSERT_TRUE(capture.has_value());
  (*capture)->OnBytes(ConnectionId(1), Direction::kToTarget, "GET / HTTP/1.1\r\n\r\n",
                      Clock::now());
  ASSERT_TRUE((*capture)->Close().ok());
  const auto lines = Lines(folder);
  ASSERT_THAT(Kinds(lines), ElementsAre("run started", "annotation"));
  const auto part = ParseAnnotation(lines[1].entry.text);
  ASSERT_TRUE(part.has_value());
  EXPECT_TRUE(std::get<NotRecorded>(*part).foreign);
}

TEST(ValueHasher, EqualValuesStayEqualAndNothingElseChanges) {
  const ValueHasher hasher;
  const std::string put = Message().Text(1, "k").Text(2, "secret").Number(3, 9).bytes();
  const std::string request = hasher.Request(Method::kPut, put);
  PutRequestView asked;
  ASSERT_TRUE(Parse(request, asked).ok());
  EXPECT_EQ(asked.key, "k");
  EXPECT_EQ(asked.lease, 9);
  EXPECT_EQ(asked.value.size(), 32u);
  const Message event = Message().Nested(2, KeyValue({.key = "k", .value = "secret", .mod = 7}));
  const std::string response =
      hasher.WatchResponse(Message().Nested(1, Header(7)).Nested(11, event).bytes());
  WatchResponseView seen;
  ASSERT_TRUE(Parse(response, seen).ok());
  ASSERT_EQ(seen.events.size(), 1u);
  EXPECT_EQ(seen.events[0].kv.value, asked.value);
  EXPECT_EQ(seen.events[0].kv.mod_revision, 7);
  const std::string txn = Message().Nested(2, Message().Nested(2, Message().Raw(put))).bytes();
  EXPECT_THAT(hasher.Request(Method::kTxn, txn), testing::Not(testing::HasSubstr("secret")));
  EXPECT_THAT(hasher.Request(Method::kTxn, txn), testing::HasSubstr(std::string(asked.value)));
}

Entry Sent(std::uint32_t stream, std::string message) {
  return {.kind = EntryKind::kRequestSent,
          .stream = StreamId(stream),
          .at = Duration(1),
          .payload = Bytes::Take(std::move(message))};
}
Entry Received(std::uint32_t stream, const Message& message) {
  return {.kind = EntryKind::kResponseReceived,
          .stream = StreamId(stream),
          .at = Duration(1),
          .payload = Bytes::Copy(message.bytes())};
}
Message EventsAt(std::int64_t revision) {
  return Message()
      .Nested(1, Header(revision))
      .Nested(11, Message().Nested(
                      2, KeyValue({.key = "k", .create = 2, .mod = revision, .version = 3})));
}
std::vector<Entry> OneWatch() {
  return {{.kind = EntryKind::kStreamOpened,
           .stream = StreamId(1),
           .at = Duration(1),
           .text = "proxied"},
          Sent(1, CreateRequest({.key = "k"}).bytes()),
          Received(1, Client::Created(4)),
          Received(1, EventsAt(6))};
}

TEST(OpenWatches, StatesAWatchFromWhereItGoesOn) {
  OpenWatches open;
  for (const Entry& entry : OneWatch()) open.Consume(entry);
  open.Consume({.kind = EntryKind::kCallStarted, .method = Method::kPut, .call = CallId(7)});
  open.Consume({.kind = EntryKind::kCallStarted, .method = Method::kPut, .call = CallId(8)});
  open.Consume({.kind = EntryKind::kCallEnded, .method = Method::kPut, .call = CallId(7)});
  const auto restated = open.Restate(Duration(9));
  ASSERT_EQ(restated.size(), 4u);
  WatchRequestView create;
  ASSERT_TRUE(Parse(restated[1].payload.view(), create).ok());
  EXPECT_EQ(create.create.start_revision, 7);
  EXPECT_EQ(create.create.key, "k");
  EXPECT_EQ(restated[3].call, CallId(8));
  // And again, from what was restated.
  EXPECT_EQ(open.Restate(Duration(10)).size(), 4u);
  open.Consume({.kind = EntryKind::kStreamClosed, .stream = StreamId(1)});
  EXPECT_EQ(open.Restate(Duration(11)).size(), 1u);
}

// All segments are one recording, without what they restate; the second alone has it.
TEST(SegmentWriter, SegmentsAreReadAsOneRecording) {
  const fs::path folder = NewFolder();
  const auto writer = SegmentWriter::Open({.folder = folder, .limit = ByteCount(1 << 30)});
  ASSERT_TRUE(writer.has_value()) << writer.error().message();
  OpenWatches open;
  for (Entry& entry : OneWatch()) {
    open.Consume(entry);
    (*writer)->Append(entry);
  }
  (*writer)->BeginNext(open.Restate(Duration(5)));
  (*writer)->Append(Received(1, EventsAt(8)));
  ASSERT_TRUE((*writer)->Close().ok());
  const auto all = Lines(folder);
  EXPECT_THAT(Kinds(all), ElementsAre("run started", "stream opened", "request", "response",
                                      "response", "response"));
  EXPECT_EQ(all.back().line, Line(6));
  EXPECT_THAT(Kinds(Lines(folder / SegmentName(2))),
              ElementsAre("run started", "stream opened", "request", "response", "response"));
  fs::remove(folder / SegmentName(1));
  EXPECT_EQ(Lines(folder).size(), 5u);
}

TEST(SegmentWriter, DropsTheOldestBeyondTheLimit) {
  const fs::path folder = NewFolder();
  const auto writer = SegmentWriter::Open({.folder = folder, .limit = ByteCount(8 << 10)});
  ASSERT_TRUE(writer.has_value());
  std::string noise(4 << 10, '\0');
  for (int segment = 0; segment < 6; ++segment) {
    // What does not compress.
    std::uint32_t state = static_cast<std::uint32_t>(segment) + 1;
    for (char& byte : noise) byte = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
    (*writer)->Append(Sent(1, noise));
    (*writer)->BeginNext({});
  }
  ASSERT_TRUE((*writer)->Close().ok());
  const auto left = SegmentsIn(folder);
  ASSERT_TRUE(left.has_value());
  EXPECT_EQ(left->back().number, 7);
  EXPECT_GT(left->front().number, 4);
  EXPECT_EQ((*writer)->dropped(), left->front().number - 1);
}

}  // namespace
}  // namespace watchproof
