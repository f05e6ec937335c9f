// SPDX-License-Identifier: Apache-2.0
#include "harness/history/reader.h"

#include <zstd.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "harness/history/frame.h"

namespace watchproof {

class HistoryReader::Impl {
 public:
  Impl(std::filesystem::path path, std::FILE* file)
      : path_(std::move(path)), file_(file), context_(ZSTD_createDCtx()) {
    in_memory_.resize(ZSTD_DStreamInSize());
    out_memory_.resize(ZSTD_DStreamOutSize());
  }
  ~Impl() {
    std::fclose(file_);
    ZSTD_freeDCtx(context_);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  // A file cut off inside the magic is a truncated history without entries.
  Status ReadMagic() {
    while (data_.size() < kHistoryMagic.size() && !ended_) {
      if (!Fill().ok() || !data_.starts_with(kHistoryMagic.substr(0, data_.size())))
        return Foreign();
    }
    if (!data_.starts_with(kHistoryMagic.substr(0, data_.size()))) return Foreign();
    if (data_.size() < kHistoryMagic.size() && !(truncated_ && BeginsLikeZstd())) return Foreign();
    consumed_ = std::min(data_.size(), kHistoryMagic.size());
    return Status();
  }

  Result<std::optional<NumberedEntry>> Next() {
    while (true) {
      auto frame = frames_.Parse(std::string_view(data_).substr(consumed_));
      if (!frame.has_value()) return Damaged(std::move(frame).error());
      if (frame->has_value()) {
        consumed_ += (*frame)->size;
        line_ = line_.next();
        return std::optional<NumberedEntry>({line_, std::move((*frame)->entry)});
      }
      if (ended_) {
        truncated_ = truncated_ || consumed_ < data_.size();
        return std::optional<NumberedEntry>();
      }
      if (Status status = Fill(); !status.ok()) return Damaged(std::move(status));
    }
  }

  bool truncated() const { return truncated_; }

 private:
  Status Foreign() const {
    return Fail(StatusCode::kInvalidArgument, "{} is not a watchproof history of version 3",
                path_.string());
  }
  // The decompressor asks for more before it has seen the first four bytes. Nothing but the first
  // block has been read when this is asked.
  bool BeginsLikeZstd() const {
    constexpr std::string_view kZstdMagic = "\x28\xb5\x2f\xfd";
    const std::string_view begin(in_memory_.data(), std::min(first_read_, kZstdMagic.size()));
    return kZstdMagic.starts_with(begin);
  }
  Status Damaged(Status why) const {
    return std::move(why).WithContext("history {} is damaged after line {}", path_.string(),
                                      line_.value);
  }

  // Decompresses some more into data_, or sets ended_.
  Status Fill() {
    data_.erase(0, std::exchange(consumed_, 0));
    const std::size_t before = data_.size();
    while (data_.size() == before && !ended_) {
      if (in_.pos == in_.size) {
        in_ = {in_memory_.data(), std::fread(in_memory_.data(), 1, in_memory_.size(), file_), 0};
        if (in_.size == 0) return EndOfFile();
        if (first_read_ == 0) first_read_ = in_.size;
      }
      ZSTD_outBuffer out{out_memory_.data(), out_memory_.size(), 0};
      const std::size_t left = ZSTD_decompressStream(context_, &out, &in_);
      if (ZSTD_isError(left) != 0) {
        return Fail(StatusCode::kDataLoss, "{}", ZSTD_getErrorName(left));
      }
      data_.append(out_memory_.data(), out.pos);
      ended_ = left == 0;
    }
    return Status();
  }

  Status EndOfFile() {
    if (std::ferror(file_) != 0) return FromErrno(errno);
    ended_ = true;
    truncated_ = true;  // the end of the zstd frame never came
    return Status();
  }

  const std::filesystem::path path_;
  std::FILE* const file_;
  ZSTD_DCtx* const context_;
  std::vector<char> in_memory_;
  std::vector<char> out_memory_;
  ZSTD_inBuffer in_{nullptr, 0, 0};
  std::size_t first_read_ = 0;
  std::string data_;  // decompressed, from consumed_ on not yet handed out
  std::size_t consumed_ = 0;
  FrameReader frames_;
  Line line_{};
  bool ended_ = false;
  bool truncated_ = false;
};

HistoryReader::HistoryReader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HistoryReader::~HistoryReader() = default;

Result<std::unique_ptr<HistoryReader>> HistoryReader::Open(const std::filesystem::path& path) {
  std::FILE* file = std::fopen(path.c_str(), "rbe");
  if (file == nullptr) {
    return FromErrno(errno).WithContext("cannot read the history {}", path.string());
  }
  auto impl = std::make_unique<Impl>(path, file);
  WP_RETURN_IF_ERROR(impl->ReadMagic());
  return std::unique_ptr<HistoryReader>(new HistoryReader(std::move(impl)));
}

Result<std::optional<NumberedEntry>> HistoryReader::Next() { return impl_->Next(); }
bool HistoryReader::truncated() const { return impl_->truncated(); }

}  // namespace watchproof
