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
// Threads: values and functions without state.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

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

}  // namespace watchproof
