// SPDX-License-Identifier: Apache-2.0
#include "harness/history/recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "harness/base/check.h"
#include "harness/history/frame.h"
#include "harness/history/reader.h"
#include "harness/history/wire_writer.h"

namespace watchproof {
namespace {

class RecorderTest : public testing::Test {
 protected:
  RecorderTest() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(testing::TempDir()) / "watchproof" / test->name();
    std::filesystem::create_directories(folder_);
  }
  ~RecorderTest() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path file() const { return folder_ / "history.wire.zst"; }
  std::unique_ptr<Recorder> Record(RecorderOptions options = {}) const {
    options.file = file();
    auto recorder = Recorder::Open(options);
    EXPECT_TRUE(recorder.has_value());
    return *std::move(recorder);
  }
  struct Readout {
    std::vector<NumberedEntry> lines;
    std::string damage;
  };
  Result<Readout> ReadBack() const {
    WP_ASSIGN_OR_RETURN(const auto reader, HistoryReader::Open(file()));
    Readout readout;
    while (true) {
      WP_ASSIGN_OR_RETURN(auto line, reader->Next());
      if (!line) break;
      readout.lines.push_back(*std::move(line));
    }
    readout.damage = reader->damage();
    return readout;
  }

  std::filesystem::path folder_;
};

Entry Full(std::uint32_t number) {
  return {.kind = EntryKind::kCallEnded,
          .method = Method::kTxn,
          .code = StatusCode::kUnavailable,
          .stream = StreamId(number),
          .call = CallId(number + 1),
          .at = Duration(123456789 + number),
          .payload = Bytes::Copy(std::string("\0\xff payload ", 11) + std::to_string(number)),
          .text = "text " + std::to_string(number)};
}

std::string Whole(const Entry& entry) {
  return std::string(entry.payload.view()) + std::string(entry.tail.view());
}

void ExpectSame(const Entry& a, const Entry& b) {
  EXPECT_EQ(a.kind, b.kind);
  EXPECT_EQ(a.method, b.method);
  EXPECT_EQ(a.code, b.code);
  EXPECT_EQ(a.stream, b.stream);
  EXPECT_EQ(a.call, b.call);
  EXPECT_EQ(a.at, b.at);
  EXPECT_EQ(Whole(a), Whole(b));
  EXPECT_EQ(a.text, b.text);
}

TEST_F(RecorderTest, GivesBackWhatWasAppended) {
  auto recorder = Record();
  for (std::uint32_t i = 0; i < 100; ++i) EXPECT_TRUE(recorder->Append(Full(i)));
  EXPECT_TRUE(recorder->Append({.kind = EntryKind::kAnnotation}));
  EXPECT_EQ(recorder->last(), Line(101));
  ASSERT_TRUE(recorder->Close().ok());
  const auto readout = ReadBack();
  ASSERT_TRUE(readout.has_value()) << readout.error().message();
  EXPECT_EQ(readout->damage, "");
  ASSERT_EQ(readout->lines.size(), 101u);
  for (std::uint32_t i = 0; i < 100; ++i) {
    EXPECT_EQ(readout->lines[i].line, Line(i + 1));
    ExpectSame(readout->lines[i].entry, Full(i));
  }
  EXPECT_GT(readout->lines[100].entry.at, Duration::zero());  // stamped by the recorder
}

TEST_F(RecorderTest, FollowerSeesEveryLineInOrderWhileManyAppend) {
  constexpr std::uint32_t kThreads = 4;
  constexpr std::uint32_t kEach = 2000;
  auto recorder = Record();
  std::vector<std::thread> threads;
  for (std::uint32_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&recorder, t] {
      for (std::uint32_t i = 0; i < kEach; ++i) {
        EXPECT_TRUE(recorder->Append(
            {.kind = EntryKind::kAnnotation, .stream = StreamId(t), .call = CallId(i)}));
      }
    });
  }
  std::vector<std::uint32_t> next(kThreads);
  for (std::uint64_t line = 1; line <= kThreads * kEach; ++line) {
    const auto got = recorder->Next(Within(10s));
    ASSERT_TRUE(got.has_value());
    EXPECT_EQ(got->line, Line(line));
    EXPECT_EQ(got->entry.call.value, next[got->entry.stream.value]++);
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(recorder->Next(Within(1ms)), std::nullopt);
  ASSERT_TRUE(recorder->Close().ok());
  EXPECT_EQ(recorder->Next(Within(10s)), std::nullopt);  // at once: nothing can come
  EXPECT_EQ(ReadBack()->lines.size(), kThreads * kEach);
}

TEST_F(RecorderTest, PendingLinesCanBeReadAfterClose) {
  auto recorder = Record();
  EXPECT_TRUE(recorder->Append(Full(1)));
  ASSERT_TRUE(recorder->Close().ok());
  ASSERT_TRUE(recorder->Close().ok());
  EXPECT_FALSE(recorder->Append(Full(2)));
  EXPECT_FALSE(recorder->incomplete());
  EXPECT_TRUE(recorder->Next(Within(1s)).has_value());
  EXPECT_FALSE(recorder->Next(Within(1s)).has_value());
}

TEST_F(RecorderTest, IsIncompleteForGoodOnceTheCapacityIsExhausted) {
  auto recorder = Record({.file = {}, .capacity = ByteCount(10000), .follow = true});
  const Entry large{.payload = Bytes::Take(std::string(6000, 'x'))};
  EXPECT_TRUE(recorder->Append(large));
  EXPECT_FALSE(recorder->Append(large));
  EXPECT_TRUE(recorder->incomplete());
  EXPECT_TRUE(recorder->Next(Within(1s)).has_value());
  EXPECT_TRUE(recorder->incomplete());
  EXPECT_EQ(recorder->last(), Line(1));
}

TEST_F(RecorderTest, ReleasesMessagesAtOnceAndKeepsNothingWithoutAFollower) {
  for (const bool follow : {true, false}) {
    auto recorder = Record({.file = {}, .follow = follow});
    auto owner = std::make_shared<const std::string>("payload");
    const std::weak_ptr<const std::string> kept = owner;
    const std::string_view view = *owner;
    EXPECT_TRUE(recorder->Append({.payload = Bytes(std::move(owner), view)}));
    EXPECT_TRUE(kept.expired());
    ASSERT_TRUE(recorder->Close().ok());
    const auto line = recorder->Next(Within(1s));
    ASSERT_EQ(line.has_value(), follow);
    if (!follow) continue;
    EXPECT_EQ(Whole(line->entry), "payload");
  }
}

TEST_F(RecorderTest, ReportsWhyItCannotWrite) {
  auto nowhere = Recorder::Open({.file = folder_ / "missing" / "file"});
  ASSERT_FALSE(nowhere.has_value());
  EXPECT_THAT(nowhere.error().message(), testing::HasSubstr("missing/file"));
  auto full = Recorder::Open({.file = "/dev/full"});
  ASSERT_TRUE(full.has_value());
  EXPECT_TRUE((*full)->Append(Full(1)));
  EXPECT_FALSE((*full)->Close().ok());
  EXPECT_TRUE((*full)->incomplete());
}

Entry Reported(std::int64_t watch, const std::string& events) {
  return {.kind = EntryKind::kResponseReceived,
          .stream = StreamId(1),
          .at = 1ms,
          .payload =
              Bytes::Copy(Message().Nested(1, Header(9)).Optional(2, watch).Raw(events).bytes())};
}

std::string Events(char fill, std::size_t size) {
  return Message().Nested(11, Message().Text(5, std::string(size, fill))).bytes();
}

// Watches of one range receive the same events: these are written once and read back byte by byte.
TEST_F(RecorderTest, WritesEventsThatManyWatchesShareOnce) {
  std::vector<Entry> entries;
  for (std::int64_t round = 0; round < 40; ++round) {
    const std::string events = Events(static_cast<char>('a' + round % 26), 1000 + round % 7 * 10);
    for (std::int64_t watch = 0; watch < 20; ++watch) entries.push_back(Reported(watch, events));
  }
  entries.push_back(Reported(3, ""));
  entries.push_back(Reported(3, Events('x', 5)));
  entries.push_back(Reported(3, "\x5a\x7f" + std::string(90, 'y')));  // a wrong length
  FrameWriter frames;
  std::string content;
  for (const Entry& entry : entries) frames.Append(entry, content);
  EXPECT_LT(content.size(), 40U * 1200 + entries.size() * 80);
  FrameReader reader;
  FrameWriter again;
  std::string copy;
  std::string_view left = content;
  for (const Entry& entry : entries) {
    auto frame = reader.Parse(left);
    ASSERT_TRUE(frame.has_value() && frame->has_value());
    ExpectSame((*frame)->entry, entry);
    left.remove_prefix((*frame)->size);
    again.Append((*frame)->entry, copy);
  }
  EXPECT_EQ(left, "");
  EXPECT_EQ(copy, content);
}

TEST_F(RecorderTest, RefusesAnEntryThatRefersToMissingBytes) {
  FrameWriter frames;
  std::string first;
  std::string second;
  frames.Append(Reported(1, Events('a', 200)), first);
  frames.Append(Reported(2, Events('a', 200)), second);
  EXPECT_LT(second.size(), first.size() - 150);
  EXPECT_FALSE(FrameReader().Parse(second).has_value());
}

// Lost entries are not in the file; the trailer counts them.
TEST_F(RecorderTest, TrailerCountsLostEntries) {
  auto recorder = Record({.file = {}, .capacity = ByteCount(10000), .follow = true});
  const Entry large{.payload = Bytes::Take(std::string(6000, 'x'))};
  EXPECT_TRUE(recorder->Append(large));
  EXPECT_FALSE(recorder->Append(large));
  ASSERT_TRUE(recorder->Close().ok());
  EXPECT_FALSE(recorder->Append(large));  // after the end: not counted as lost
  const auto readout = ReadBack();
  ASSERT_TRUE(readout.has_value());
  EXPECT_EQ(readout->lines.size(), 1u);
  EXPECT_EQ(readout->damage,
            "incomplete after line 1: the recorder could not keep 1 further entries");
}

// A process that dies loses a second at most: older lines can be verified without a trailer.
TEST_F(RecorderTest, LinesOlderThanASecondCanBeReadWhileTheFileGrows) {
  auto recorder = Record();
  for (std::uint32_t i = 0; i < 5; ++i) EXPECT_TRUE(recorder->Append(Full(i)));
  const Deadline deadline = Within(30s);
  std::size_t read = 0;
  while (read < 5 && !deadline.expired()) {
    const auto readout = ReadBack();
    ASSERT_TRUE(readout.has_value());
    EXPECT_THAT(readout->damage, testing::StartsWith("cut off after line"));
    read = readout->lines.size();
    std::this_thread::yield();
  }
  EXPECT_EQ(read, 5u);
}

// Threadsafe: a child that forks from here would lack the recorder's thread.
TEST_F(RecorderTest, FailedCheckPrintsTheLastLines) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto recorder = Record();
  for (int i = 0; i < 10; ++i) recorder->Append({.kind = EntryKind::kAnnotation, .text = "early"});
  recorder->Append({.kind = EntryKind::kResponseReceived, .stream = StreamId(7), .at = 1500ms});
  recorder->Append({.kind = EntryKind::kAnnotation, .at = 2s, .text = "converged"});
  EXPECT_DEATH(WP_CHECK(recorder == nullptr, "a mistake"),
               "a mistake\nrecorded last: 5 annotation \"early\" at .*; 11 response 7 at 1.500 s; "
               "12 annotation \"converged\" at 2.000 s\n");
}

}  // namespace
}  // namespace watchproof
