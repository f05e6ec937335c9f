// SPDX-License-Identifier: Apache-2.0
// The file format of a recording, version 4: a sequence of chunks, each of which can be verified
// before anything in it is used, and a trailer.
//
// A chunk is a skippable zstd frame of 80 bytes, the head, and then one ordinary zstd frame with
// entries (frame.h), so `zstd -dc` opens the file. The trailer is a head alone:
//
//   offset  bytes  what (numbers are little-endian)
//        0      4  0x184D2A57, a magic number of skippable frames
//        4      4  72, the length of what follows in the head
//        8     21  "watchproof history 4\n"
//       29      1  'c' for a chunk, 't' for the trailer
//       30      2  4, the version once more
//       32      8  number of the first line; in the trailer, of the line that would be next
//       40      8  how many entries
//       48      8  their length once decompressed
//       56      8  length of the compressed frame that follows
//       64      8  in the trailer: how many entries the recorder could not keep
//       72      8  XXH3 (64 bits) of the previous head's hash (0 before the first chunk), the 72
//                  bytes above, and the compressed frame
//
// The hashes form a chain, so a chunk that is missing, repeated or moved is noticed like a changed
// byte, and the trailer vouches for all of the file.
//
//   WP_ASSIGN_OR_RETURN(auto file, ChunkWriter::Create(path));
//   WP_RETURN_IF_ERROR(file->Add(frames, 12));    // compressed at once
//   WP_RETURN_IF_ERROR(file->EndChunk());         // can be read from here on
//   WP_RETURN_IF_ERROR(file->Finish(0));          // the trailer
//
// Threads: values and functions without state; a writer is not thread-safe.
#pragma once

#include <zstd.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "harness/base/status.h"

namespace watchproof {

inline constexpr std::size_t kHeadSize = 80;
// A recorder ends a chunk far below this size, and no entry comes near: a larger value is damage.
inline constexpr std::uint64_t kLargestChunk = 1ULL << 30;

enum class HeadKind : char { kChunk = 'c', kTrailer = 't' };

struct Head {
  HeadKind kind = HeadKind::kChunk;
  std::uint64_t first_line = 1;
  std::uint64_t entries = 0;
  std::uint64_t content_size = 0;
  std::uint64_t frame_size = 0;
  std::uint64_t lost = 0;
  std::uint64_t hash = 0;
};

// The bytes of the head of `frame`, to be written before it. Sets the head's hash.
std::string HeadBytes(Head& head, std::string_view frame, std::uint64_t previous_hash);

// Empty when the bytes are not a head of this version. Requires: kHeadSize bytes.
std::optional<Head> ParseHead(std::string_view bytes);

// What the head's hash must be.
std::uint64_t HashOf(std::string_view head_bytes, std::string_view frame,
                     std::uint64_t previous_hash);

// What a file is that begins like this, if it is no recording of this version, not even a damaged
// one: "is not a watchproof history", "is a recording of version 3; ...".
std::optional<std::string> WhyForeign(std::string_view beginning);

// Writes a recording's file. Chunks end by themselves after a few MiB. Memory: one compressed
// chunk.
class ChunkWriter {
 public:
  // Errors name the file.
  static Result<std::unique_ptr<ChunkWriter>> Create(const std::filesystem::path& path);
  ~ChunkWriter();
  ChunkWriter(const ChunkWriter&) = delete;
  ChunkWriter& operator=(const ChunkWriter&) = delete;

  // Whole frames of so many entries.
  Status Add(std::string_view frames, std::uint64_t entries);
  // What was added so far can be read even if nothing follows. No-op when that is nothing.
  Status EndChunk();
  // Writes the trailer and closes. `lost`: how many entries are missing. Nothing may follow.
  Status Finish(std::uint64_t lost);

 private:
  ChunkWriter(std::filesystem::path path, std::FILE* file);
  Status Compress(std::string_view data, ZSTD_EndDirective directive);
  Status Write(std::string_view bytes);
  Status WriteError() const;

  const std::filesystem::path path_;
  std::FILE* file_;
  ZSTD_CCtx* const context_;
  std::string frame_;       // compressed so far, of the chunk that is being filled
  std::size_t used_ = 0;    // bytes of it
  Head head_;               // of that chunk
  std::uint64_t hash_ = 0;  // of the previous chunk's head
};

}  // namespace watchproof
