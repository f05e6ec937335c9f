// SPDX-License-Identifier: Apache-2.0
#include "harness/history/reader.h"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <string>
#include <utility>

#include "harness/history/chunk.h"
#include "harness/history/frame.h"

namespace watchproof {
namespace {

// Enough of a recording of an older version to decompress its tag.
constexpr std::size_t kBeginningSize = 256 << 10;
// Memory grows in these steps, and only as far as the file has bytes: a claimed size is not
// trusted.
constexpr std::size_t kStep = 1 << 20;

}  // namespace

class HistoryReader::Impl {
 public:
  Impl(std::filesystem::path path, std::FILE* file)
      : path_(std::move(path)), file_(file), context_(ZSTD_createDCtx()) {}
  ~Impl() {
    std::fclose(file_);
    ZSTD_freeDCtx(context_);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

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

 private:
  void EndWith(std::string_view how, std::string_view why) {
    ended_ = true;
    damage_ = fmt::format("{} after line {}: {}", how, line_.value, why);
  }
  void Damaged(std::string_view why) { EndWith("damaged", why); }
  void CutOff(std::string_view why) { EndWith("cut off", why); }
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
  std::string damage_;
};

HistoryReader::HistoryReader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HistoryReader::~HistoryReader() = default;

Result<std::unique_ptr<HistoryReader>> HistoryReader::Open(const std::filesystem::path& path) {
  std::FILE* file = std::fopen(path.c_str(), "rbe");
  if (file == nullptr) {
    return FromErrno(errno).WithContext("cannot read the history {}", path.string());
  }
  auto impl = std::make_unique<Impl>(path, file);
  WP_RETURN_IF_ERROR(impl->RefuseForeign());
  return std::unique_ptr<HistoryReader>(new HistoryReader(std::move(impl)));
}

Result<std::optional<NumberedEntry>> HistoryReader::Next() { return impl_->Next(); }
const std::string& HistoryReader::damage() const { return impl_->damage(); }

}  // namespace watchproof
