// SPDX-License-Identifier: Apache-2.0
#include "harness/history/chunk.h"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace watchproof {
namespace {

using std::string_view_literals::operator""sv;

static_assert(std::endian::native == std::endian::little, "numbers are copied as they are");

constexpr std::uint16_t kVersion = 4;
constexpr std::string_view kTagOfAnyVersion = "watchproof history ";
// Magic number, length and tag: the same in every head.
constexpr std::string_view kBeginning =
    "\x57\x2a\x4d\x18\x48\0\0\0"
    "watchproof history 4\n"sv;
constexpr std::size_t kTagAt = 8;
constexpr std::size_t kKindAt = 29;
constexpr std::size_t kVersionAt = 30;
constexpr std::size_t kNumbersAt = 32;
constexpr std::size_t kHashAt = 72;
static_assert(kBeginning.size() == kKindAt);

// Cheap enough for a million entries a second; recordings shrink to about a tenth anyway.
constexpr int kCompressionLevel = 1;
// Large enough that a head and a new compression window cost nothing, small enough to be read and
// verified in memory.
constexpr std::uint64_t kChunkSize = 4 << 20;

template <typename Number>
void Put(Number number, std::string& out) {
  out.append(reinterpret_cast<const char*>(&number), sizeof(number));
}

template <typename Number>
Number Get(std::string_view bytes, std::size_t offset) {
  Number number;
  std::memcpy(&number, bytes.data() + offset, sizeof(number));
  return number;
}

// "4" of "watchproof history 4\n..."; empty if the text is no tag.
std::string VersionIn(std::string_view text) {
  if (!text.starts_with(kTagOfAnyVersion)) return "";
  text.remove_prefix(kTagOfAnyVersion.size());
  const std::string_view digits = text.substr(0, text.find_first_not_of("0123456789"));
  return digits.size() < 6 ? std::string(digits) : "";
}

// Versions before 4 were one zstd frame around everything.
std::string OldVersion(std::string_view beginning) {
  std::string content(kTagOfAnyVersion.size() + 6, '\0');
  ZSTD_DCtx* const context = ZSTD_createDCtx();
  ZSTD_inBuffer in{beginning.data(), beginning.size(), 0};
  ZSTD_outBuffer out{content.data(), content.size(), 0};
  while (out.pos < out.size && in.pos < in.size) {
    if (ZSTD_isError(ZSTD_decompressStream(context, &out, &in)) != 0) break;
  }
  ZSTD_freeDCtx(context);
  return VersionIn(std::string_view(content).substr(0, out.pos));
}

// A later one says its version twice, so that a damaged digit is not taken for it.
std::string LaterVersion(std::string_view beginning) {
  if (beginning.size() < kNumbersAt) return "";
  const std::string version = VersionIn(beginning.substr(kTagAt));
  const auto again = Get<std::uint16_t>(beginning, kVersionAt);
  return again != kVersion && version == std::to_string(again) ? version : "";
}

}  // namespace

std::string HeadBytes(Head& head, std::string_view frame, std::uint64_t previous_hash) {
  std::string bytes(kBeginning);
  bytes += static_cast<char>(head.kind);
  Put(kVersion, bytes);
  for (const std::uint64_t number :
       {head.first_line, head.entries, head.content_size, head.frame_size, head.lost}) {
    Put(number, bytes);
  }
  head.hash = HashOf(bytes, frame, previous_hash);
  Put(head.hash, bytes);
  return bytes;
}

std::optional<Head> ParseHead(std::string_view bytes) {
  const char kind = bytes[kKindAt];
  if (!bytes.starts_with(kBeginning) || Get<std::uint16_t>(bytes, kVersionAt) != kVersion ||
      (kind != static_cast<char>(HeadKind::kChunk) &&
       kind != static_cast<char>(HeadKind::kTrailer))) {
    return std::nullopt;
  }
  return Head{.kind = static_cast<HeadKind>(kind),
              .first_line = Get<std::uint64_t>(bytes, kNumbersAt),
              .entries = Get<std::uint64_t>(bytes, kNumbersAt + 8),
              .content_size = Get<std::uint64_t>(bytes, kNumbersAt + 16),
              .frame_size = Get<std::uint64_t>(bytes, kNumbersAt + 24),
              .lost = Get<std::uint64_t>(bytes, kNumbersAt + 32),
              .hash = Get<std::uint64_t>(bytes, kHashAt)};
}

std::uint64_t HashOf(std::string_view head_bytes, std::string_view frame,
                     std::uint64_t previous_hash) {
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  XXH3_64bits_update(&state, &previous_hash, sizeof(previous_hash));
  XXH3_64bits_update(&state, head_bytes.data(), kHashAt);
  XXH3_64bits_update(&state, frame.data(), frame.size());
  return XXH3_64bits_digest(&state);
}

std::optional<std::string> WhyForeign(std::string_view beginning) {
  const std::string old = OldVersion(beginning);
  const std::string version = old.empty() ? LaterVersion(beginning) : old;
  if (!version.empty()) {
    return fmt::format("is a recording of version {}; this build reads version {}", version,
                       kVersion);
  }
  // Damage changes a few bytes of the head. What has most of them is a recording, and must not be
  // waved aside as something else.
  const std::size_t length = std::min(beginning.size(), kBeginning.size());
  std::size_t same = 0;
  for (std::size_t i = 0; i < length; ++i) same += beginning[i] == kBeginning[i] ? 1 : 0;
  if (2 * same >= length) return std::nullopt;
  return fmt::format("is not a watchproof history of version {}", kVersion);
}

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
