// SPDX-License-Identifier: Apache-2.0
// Damaged recordings: whatever happens to a file, the reader returns only recorded lines, and
// reports the damage.
#include "harness/history/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zstd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "harness/history/chunk.h"
#include "harness/history/frame.h"

namespace watchproof {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::uint64_t kEntries = 2;  // of each chunk
constexpr std::uint64_t kChunks = 3;

std::string TextOf(std::uint64_t line) { return "text of line " + std::to_string(line); }

std::string FramesOf(std::uint64_t first, std::uint64_t entries) {
  FrameWriter writer;
  std::string frames;
  for (std::uint64_t line = first; line < first + entries; ++line) {
    writer.Append({.kind = EntryKind::kFault, .at = 1ms, .text = TextOf(line)}, frames);
  }
  return frames;
}

class ReaderTest : public testing::Test {
 protected:
  ReaderTest() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(testing::TempDir()) / "watchproof-reader" / test->name();
    std::filesystem::create_directories(folder_);
  }
  ~ReaderTest() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path file() const { return folder_ / "history.wire.zst"; }
  std::string Contents() const {
    std::ifstream in(file(), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void Overwrite(std::string_view contents) const {
    std::ofstream(file(), std::ios::binary)
        .write(contents.data(), static_cast<std::streamsize>(contents.size()));
  }

  // Returns the bytes; ends_ are the offsets where each chunk ends.
  std::string Record(std::uint64_t chunks = kChunks) {
    auto writer = ChunkWriter::Create(file());
    EXPECT_TRUE(writer.has_value());
    ends_.clear();
    for (std::uint64_t i = 0; i < chunks; ++i) {
      EXPECT_TRUE((*writer)->Add(FramesOf(1 + i * kEntries, kEntries), kEntries).ok());
      EXPECT_TRUE((*writer)->EndChunk().ok());
      ends_.push_back(std::filesystem::file_size(file()));
    }
    EXPECT_TRUE((*writer)->Finish(0).ok());
    return Contents();
  }
  // Lines of the chunks that end at or before the offset.
  std::uint64_t LinesBefore(std::size_t offset) const {
    const auto whole = std::count_if(ends_.begin(), ends_.end(),
                                     [offset](std::size_t end) { return end <= offset; });
    return static_cast<std::uint64_t>(whole) * kEntries;
  }

  struct Readout {
    std::uint64_t lines = 0;
    std::string damage;
  };
  Result<Readout> ReadBack() const {
    WP_ASSIGN_OR_RETURN(const auto reader, HistoryReader::Open(file()));
    Readout readout;
    while (true) {
      WP_ASSIGN_OR_RETURN(const auto line, reader->Next());
      if (!line) break;
      ++readout.lines;
      EXPECT_EQ(line->line, Line(readout.lines));
      EXPECT_EQ(line->entry.text, TextOf(readout.lines));
    }
    readout.damage = reader->damage();
    return readout;
  }
  void ExpectDamaged(std::string_view contents, std::uint64_t lines, const std::string& what) {
    Overwrite(contents);
    const auto readout = ReadBack();
    ASSERT_TRUE(readout.has_value()) << what << ": " << readout.error().message();
    EXPECT_EQ(readout->lines, lines) << what;
    EXPECT_THAT(readout->damage,
                AnyOf(StartsWith("damaged after line " + std::to_string(lines) + ": "),
                      StartsWith("cut off after line " + std::to_string(lines) + ": ")))
        << what;
  }

  std::filesystem::path folder_;
  std::vector<std::size_t> ends_;
};

TEST_F(ReaderTest, ReadsAWholeFile) {
  Record();
  const auto readout = ReadBack();
  ASSERT_TRUE(readout.has_value());
  EXPECT_EQ(readout->lines, kChunks * kEntries);
  EXPECT_EQ(readout->damage, "");
  Record(0);
  EXPECT_EQ(ReadBack()->damage, "");
}

TEST_F(ReaderTest, EveryCutIsNoticed) {
  const std::string whole = Record();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    ExpectDamaged(std::string_view(whole).substr(0, length), LinesBefore(length),
                  fmt::format("cut to {} bytes", length));
  }
}

TEST_F(ReaderTest, EveryFlippedBitIsNoticedBeforeAnEntryOfItsChunkIsRead) {
  const std::string whole = Record(2);
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string flipped = whole;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    ExpectDamaged(flipped, LinesBefore(bit / 8), fmt::format("bit {} flipped", bit));
  }
}

TEST_F(ReaderTest, ChunksThatAreMissingRepeatedOrMovedAreNoticed) {
  const std::string whole = Record();
  const std::string first = whole.substr(0, ends_[0]);
  const std::string second = whole.substr(ends_[0], ends_[1] - ends_[0]);
  const std::string rest = whole.substr(ends_[1]);
  const std::string trailer = whole.substr(ends_[2]);
  ExpectDamaged(second + rest, 0, "without the first chunk");
  ExpectDamaged(first + rest, kEntries, "without the second chunk");
  ExpectDamaged(first + second + trailer, 2 * kEntries, "without the last chunk");
  ExpectDamaged(first + first + second + rest, kEntries, "the first chunk twice");
  ExpectDamaged(second + first + rest, 0, "two chunks exchanged");
  ExpectDamaged(trailer, 0, "the trailer alone");
  ExpectDamaged(whole + "x", kChunks * kEntries, "a byte more");
  ExpectDamaged(whole + whole, kChunks * kEntries, "twice the whole");
}

// Such files have valid hashes, but the recorder never writes them.
TEST_F(ReaderTest, HeadThatContradictsItsChunkIsDamage) {
  const std::string frames = FramesOf(1, 1);
  std::string frame(ZSTD_compressBound(frames.size()), '\0');
  frame.resize(ZSTD_compress(frame.data(), frame.size(), frames.data(), frames.size(), 1));
  const Head good{.entries = 1, .content_size = frames.size(), .frame_size = frame.size()};
  const auto written = [&](Head head) { return HeadBytes(head, frame, 0) + frame; };
  Overwrite(written(good));
  EXPECT_EQ(ReadBack()->damage, "cut off after line 1: the trailer is missing");
  Head head = good;
  head.first_line = 2;
  ExpectDamaged(written(head), 0, "a gap in the numbers of lines");
  head = good;
  head.entries = 2;
  ExpectDamaged(written(head), 1, "more entries");
  head.entries = 0;
  ExpectDamaged(written(head), 0, "no entries");
  head = good;
  head.content_size += 1;
  ExpectDamaged(written(head), 0, "a longer content");
  head.content_size = frames.size() - 1;
  ExpectDamaged(written(head), 0, "a shorter content");
  head.content_size = kLargestChunk + 1;
  ExpectDamaged(written(head), 0, "an impossible content");
  head = good;
  head.frame_size = 1ULL << 62;
  ExpectDamaged(written(head), 0, "an impossible length");
  head.frame_size = kLargestChunk;
  ExpectDamaged(written(head), 0, "a length that the file does not have");
}

TEST_F(ReaderTest, InvalidEntryEndsTheReading) {
  const std::string frames = FramesOf(1, 1) + std::string(kFrameHeaderSize, '\x7f');
  auto writer = ChunkWriter::Create(file());
  ASSERT_TRUE(writer.has_value());
  EXPECT_TRUE((*writer)->Add(frames, 2).ok());
  EXPECT_TRUE((*writer)->Finish(0).ok());
  const auto readout = ReadBack();
  EXPECT_EQ(readout->lines, 1u);
  EXPECT_THAT(readout->damage, StartsWith("damaged after line 1: an entry of unknown kind"));
}

TEST_F(ReaderTest, OtherFilesAreRefusedByName) {
  EXPECT_FALSE(HistoryReader::Open(folder_ / "nothing").has_value());
  for (const std::string_view contents :
       {"x", "plain text, and long enough", "\x28\xb5\x2f\xfd and then no compressed data"}) {
    Overwrite(contents);
    const auto reader = HistoryReader::Open(file());
    ASSERT_FALSE(reader.has_value()) << contents;
    EXPECT_THAT(reader.error().message(),
                HasSubstr("history.wire.zst is not a watchproof history of version 4"));
  }
}

TEST_F(ReaderTest, OtherVersionsAreNamed) {
  const std::string old = "watchproof history 3\n" + FramesOf(1, 1);
  std::string compressed(ZSTD_compressBound(old.size()), '\0');
  compressed.resize(ZSTD_compress(compressed.data(), compressed.size(), old.data(), old.size(), 1));
  Overwrite(compressed);
  EXPECT_THAT(HistoryReader::Open(file()).error().message(),
              HasSubstr("is a recording of version 3; this build reads version 4"));
  std::string later = Record();
  later[later.find("4\n")] = '5';
  ExpectDamaged(later, 0, "a digit that was damaged");
  later[30] = 5;  // the version once more
  Overwrite(later);
  EXPECT_THAT(HistoryReader::Open(file()).error().message(),
              HasSubstr("is a recording of version 5; this build reads version 4"));
}

}  // namespace
}  // namespace watchproof
