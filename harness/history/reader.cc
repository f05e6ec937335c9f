// SPDX-License-Identifier: Apache-2.0
#include "harness/history/reader.h"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <string>
#include <utility>

#include "harness/base/parse.h"
#include "harness/history/chunk.h"
#include "harness/history/frame.h"
#include "harness/history/run_started.h"

namespace watchproof {
namespace {

// Enough of a recording of an older version to decompress its tag.
constexpr std::size_t kBeginningSize = 256 << 10;
// Memory grows in these steps, and only as far as the file has bytes: a claimed size is not
// trusted.
constexpr std::size_t kStep = 1 << 20;

constexpr std::string_view kBeforeNumber = "segment-";
constexpr std::string_view kBehindNumber = ".wire.zst";

}  // namespace

std::string SegmentName(int number) {
  return fmt::format("{}{:06}{}", kBeforeNumber, number, kBehindNumber);
}

std::optional<int> SegmentNumber(const std::filesystem::path& file) {
  const std::string name = file.filename().string();
  if (!name.starts_with(kBeforeNumber) || !name.ends_with(kBehindNumber)) return std::nullopt;
  const std::string_view digits = std::string_view(name).substr(
      kBeforeNumber.size(), name.size() - kBeforeNumber.size() - kBehindNumber.size());
  const auto number = ParseNumber<int>(digits);
  return number > 0 ? number : std::nullopt;
}

Result<std::vector<Segment>> SegmentsIn(const std::filesystem::path& folder) {
  std::vector<Segment> segments;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    if (const auto number = SegmentNumber(at->path())) segments.push_back({*number, at->path()});
  }
  if (error) return Fail(StatusCode::kUnavailable, "{}: {}", folder.string(), error.message());
  std::sort(segments.begin(), segments.end(),
            [](const Segment& a, const Segment& b) { return a.number < b.number; });
  return segments;
}

class HistoryReader::FileReader {
 public:
  static Result<std::unique_ptr<FileReader>> Open(const std::filesystem::path& path) {
    std::FILE* file = std::fopen(path.c_str(), "rbe");
    if (file == nullptr) {
      return FromErrno(errno).WithContext("cannot read the history {}", path.string());
    }
    auto reader = std::make_unique<FileReader>(path, file);
    WP_RETURN_IF_ERROR(reader->RefuseForeign());
    return reader;
  }
  FileReader(std::filesystem::path path, std::FILE* file)
      : path_(std::move(path)), file_(file), context_(ZSTD_createDCtx()) {}
  ~FileReader() {
    std::fclose(file_);
    ZSTD_freeDCtx(context_);
  }
  FileReader(const FileReader&) = delete;
  FileReader& operator=(const FileReader&) = delete;

  Status RefuseForeign() {
    WP_RETURN_IF_ERROR(Fill(kBeginningSize));
    if (const auto why = WhyForeign(read_)) {
      return Fail(StatusCode::kInvalidArgument, "{} {}", path_.string(), *why);
    }
    return Status();
  }

  Result<std::optional<NumberedEntry>> Next() {
    while (!ended_ && left_ == 0) WP_RETURN_IF_ERROR(NextChunk());
    if (ended_) return std::optional<NumberedEntry>();
    auto frame = frames_.Parse(std::string_view(content_).substr(consumed_));
    if (!frame.has_value() || !frame->has_value()) {
      Damaged(frame.has_value() ? "an entry ends behind its chunk" : frame.error().message());
      return std::optional<NumberedEntry>();
    }
    consumed_ += (*frame)->size;
    if (--left_ == 0 && consumed_ != content_.size()) {
      Damaged(fmt::format("bytes behind the last entry of {}", Here()));
      return std::optional<NumberedEntry>();
    }
    line_ = line_.next();
    return std::optional<NumberedEntry>({line_, std::move((*frame)->entry)});
  }

  const std::string& damage() const { return damage_; }
  bool unfinished() const { return unfinished_; }

 private:
  void EndWith(std::string_view how, std::string_view why) {
    ended_ = true;
    damage_ = fmt::format("{} after line {}: {}", how, line_.value, why);
  }
  void Damaged(std::string_view why) { EndWith("damaged", why); }
  void CutOff(std::string_view why) {
    EndWith("cut off", why);
    unfinished_ = true;
  }
  std::string Here() const { return fmt::format("the chunk at byte {}", offset_); }

  // Makes read_ at least so long, or as long as the file has bytes.
  Status Fill(std::size_t size) {
    while (read_.size() < size) {
      const std::size_t before = read_.size();
      read_.resize(before + std::min(size - before, kStep));
      const std::size_t got = std::fread(read_.data() + before, 1, read_.size() - before, file_);
      read_.resize(before + got);
      if (got > 0) continue;
      if (std::ferror(file_) == 0) return Status();
      return FromErrno(errno).WithContext("cannot read the history {}", path_.string());
    }
    return Status();
  }
  void Drop(std::size_t size) {
    read_.erase(0, size);
    offset_ += size;
  }

  // Afterwards entries are there, or ended_ is set.
  Status NextChunk() {
    WP_RETURN_IF_ERROR(Fill(kHeadSize));
    if (read_.size() < kHeadSize) {
      if (read_.empty()) {
        CutOff(offset_ == 0 ? "the file is empty" : "the trailer is missing");
      } else {
        CutOff(fmt::format("the head at byte {} is incomplete", offset_));
      }
      return Status();
    }
    const auto head = ParseHead(std::string_view(read_).substr(0, kHeadSize));
    if (!head) {
      Damaged(fmt::format("no chunk begins at byte {}", offset_));
    } else if (head->frame_size > kLargestChunk || head->content_size > kLargestChunk) {
      Damaged(fmt::format("{} claims {} bytes", Here(), head->frame_size));
    } else {
      return Verify(*head);
    }
    return Status();
  }

  Status Verify(const Head& head) {
    const std::size_t size = kHeadSize + head.frame_size;
    WP_RETURN_IF_ERROR(Fill(size));
    const std::string_view chunk = std::string_view(read_).substr(0, size);
    if (chunk.size() < size) {
      CutOff(fmt::format("{} is incomplete", Here()));
      return Status();
    }
    const std::string_view frame = chunk.substr(kHeadSize);
    if (HashOf(chunk, frame, hash_) != head.hash) {
      Damaged(fmt::format("the checksum of {} does not match", Here()));
      return Status();
    }
    hash_ = head.hash;
    if (head.first_line != line_.value + 1) {
      Damaged(fmt::format("{} begins with line {}", Here(), head.first_line));
    } else if (head.kind == HeadKind::kTrailer) {
      return Close(head, size);
    } else {
      Decompress(head, frame);
    }
    if (!ended_) Drop(size);
    return Status();
  }

  void Decompress(const Head& head, std::string_view frame) {
    content_.resize(head.content_size);
    const std::size_t size =
        ZSTD_decompressDCtx(context_, content_.data(), content_.size(), frame.data(), frame.size());
    if (ZSTD_isError(size) != 0) {
      Damaged(fmt::format("{}: {}", Here(), ZSTD_getErrorName(size)));
    } else if (size != head.content_size || head.entries == 0) {
      Damaged(fmt::format("{} does not hold what it claims", Here()));
    } else {
      consumed_ = 0;
      left_ = head.entries;
    }
  }

  Status Close(const Head& trailer, std::size_t size) {
    WP_RETURN_IF_ERROR(Fill(size + 1));
    ended_ = true;
    if (read_.size() > size) {
      Damaged("bytes follow the trailer");
    } else if (trailer.lost > 0) {
      EndWith("incomplete",
              fmt::format("the recorder could not keep {} further entries", trailer.lost));
    }
    return Status();
  }

  const std::filesystem::path path_;
  std::FILE* const file_;
  ZSTD_DCtx* const context_;
  std::string read_;          // of the file, from offset_ on
  std::uint64_t offset_ = 0;  // in the file
  std::uint64_t hash_ = 0;    // of the chunk before
  std::string content_;       // of this chunk, decompressed
  std::size_t consumed_ = 0;  // bytes of it
  std::uint64_t left_ = 0;    // entries of it
  FrameReader frames_;
  Line line_{};
  bool ended_ = false;
  bool unfinished_ = false;
  std::string damage_;
};

HistoryReader::HistoryReader(std::vector<Segment> files) : files_(std::move(files)) {}
HistoryReader::~HistoryReader() = default;

Status HistoryReader::OpenNext() {
  WP_ASSIGN_OR_RETURN(file_, FileReader::Open(files_[next_].file));
  ++next_;
  return Status();
}

Result<std::optional<NumberedEntry>> HistoryReader::Next() {
  while (true) {
    WP_ASSIGN_OR_RETURN(std::optional<NumberedEntry> line, file_->Next());
    if (line) {
      line_ = line_.next();
      line->line = line_;
      return line;
    }
    if (!file_->damage().empty() || next_ == files_.size()) {
      damage_ = file_->damage();
      if (files_.size() > 1 && !damage_.empty()) {
        damage_ = files_[next_ - 1].file.filename().string() + ": " + damage_;
      }
      return std::optional<NumberedEntry>();
    }
    WP_ASSIGN_OR_RETURN(const bool follows, Continue());
    if (!follows) return std::optional<NumberedEntry>();
  }
}

Result<bool> HistoryReader::Continue() {
  const int expected = files_[next_ - 1].number + 1;
  if (files_[next_].number != expected) {
    damage_ =
        fmt::format("cut off after line {}: {} is missing", line_.value, SegmentName(expected));
    return false;
  }
  WP_RETURN_IF_ERROR(OpenNext());
  WP_ASSIGN_OR_RETURN(const std::optional<NumberedEntry> first, file_->Next());
  if (!first) return true;  // its damage is reported next
  WP_ASSIGN_OR_RETURN(const RunStarted started, ParseRunStarted(first->entry.text));
  for (int i = 0; i < started.restated; ++i) {
    WP_ASSIGN_OR_RETURN(const std::optional<NumberedEntry> restated, file_->Next());
    if (!restated) break;
  }
  return true;
}

Result<std::unique_ptr<HistoryReader>> HistoryReader::Open(const std::filesystem::path& path) {
  std::vector<Segment> files = {{.number = 1, .file = path}};
  std::error_code none;
  if (std::filesystem::is_directory(path, none)) {
    WP_ASSIGN_OR_RETURN(files, SegmentsIn(path));
    if (files.empty()) {
      return Fail(StatusCode::kNotFound, "{}: no {} or later one in it", path.string(),
                  SegmentName(1));
    }
  }
  std::unique_ptr<HistoryReader> reader(new HistoryReader(std::move(files)));
  WP_RETURN_IF_ERROR(reader->OpenNext());
  return reader;
}

bool HistoryReader::unfinished() const { return next_ == files_.size() && file_->unfinished(); }

}  // namespace watchproof
