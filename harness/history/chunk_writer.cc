// SPDX-License-Identifier: Apache-2.0
#include "harness/history/chunk_writer.h"

#include <cerrno>
#include <utility>

namespace watchproof {
namespace {

// Cheap enough for a million entries a second; recordings shrink to about a tenth anyway.
constexpr int kCompressionLevel = 1;
// Large enough that a head and a new compression window cost nothing, small enough to be read and
// verified in memory.
constexpr std::uint64_t kChunkSize = 4 << 20;

}  // namespace

ChunkWriter::ChunkWriter(std::filesystem::path path, std::FILE* file)
    : path_(std::move(path)), file_(file), context_(ZSTD_createCCtx()) {
  ZSTD_CCtx_setParameter(context_, ZSTD_c_compressionLevel, kCompressionLevel);
  frame_.resize(ZSTD_CStreamOutSize());
}

ChunkWriter::~ChunkWriter() {
  if (file_ != nullptr) std::fclose(file_);
  ZSTD_freeCCtx(context_);
}

Result<std::unique_ptr<ChunkWriter>> ChunkWriter::Create(const std::filesystem::path& path) {
  std::FILE* file = std::fopen(path.c_str(), "wbe");
  if (file == nullptr) {
    return FromErrno(errno).WithContext("cannot write the history {}", path.string());
  }
  return std::unique_ptr<ChunkWriter>(new ChunkWriter(path, file));
}

Status ChunkWriter::Add(std::string_view frames, std::uint64_t entries) {
  if (head_.content_size + frames.size() > kLargestChunk) {
    return Fail(StatusCode::kInternal, "writing the history {}: an entry of more than a gibibyte",
                path_.string());
  }
  WP_RETURN_IF_ERROR(Compress(frames, ZSTD_e_continue));
  head_.content_size += frames.size();
  head_.entries += entries;
  return head_.content_size < kChunkSize ? Status() : EndChunk();
}

Status ChunkWriter::EndChunk() {
  if (head_.entries == 0) return Status();
  WP_RETURN_IF_ERROR(Compress({}, ZSTD_e_end));
  head_.frame_size = used_;
  const std::string_view frame(frame_.data(), std::exchange(used_, 0));
  WP_RETURN_IF_ERROR(Write(HeadBytes(head_, frame, hash_)));
  WP_RETURN_IF_ERROR(Write(frame));
  hash_ = head_.hash;
  head_ = {.first_line = head_.first_line + head_.entries};
  return std::fflush(file_) == 0 ? Status() : WriteError();
}

Status ChunkWriter::Finish(std::uint64_t lost) {
  WP_RETURN_IF_ERROR(EndChunk());
  head_.kind = HeadKind::kTrailer;
  head_.lost = lost;
  WP_RETURN_IF_ERROR(Write(HeadBytes(head_, {}, hash_)));
  std::FILE* file = std::exchange(file_, nullptr);
  return std::fclose(file) == 0 ? Status() : WriteError();
}

Status ChunkWriter::Compress(std::string_view data, ZSTD_EndDirective directive) {
  ZSTD_inBuffer in{data.data(), data.size(), 0};
  while (true) {
    if (frame_.size() - used_ < ZSTD_CStreamOutSize()) frame_.resize(2 * frame_.size());
    ZSTD_outBuffer out{frame_.data(), frame_.size(), used_};
    const std::size_t left = ZSTD_compressStream2(context_, &out, &in, directive);
    if (ZSTD_isError(left) != 0) {
      return Fail(StatusCode::kInternal, "compressing the history: {}", ZSTD_getErrorName(left));
    }
    used_ = out.pos;
    const bool done = directive == ZSTD_e_continue ? in.pos == in.size : left == 0;
    if (done) return Status();
  }
}

Status ChunkWriter::Write(std::string_view bytes) {
  const bool whole = std::fwrite(bytes.data(), 1, bytes.size(), file_) == bytes.size();
  return whole ? Status() : WriteError();
}

Status ChunkWriter::WriteError() const {
  return FromErrno(errno).WithContext("writing the history {}", path_.string());
}

}  // namespace watchproof
