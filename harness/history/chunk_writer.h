// SPDX-License-Identifier: Apache-2.0
// Writes a recording's file, chunk by chunk (chunk.h).
//
//   WP_ASSIGN_OR_RETURN(auto file, ChunkWriter::Create(path));
//   WP_RETURN_IF_ERROR(file->Add(frames, {.entries = 12}));   // compressed at once
//   WP_RETURN_IF_ERROR(file->EndChunk());                     // can be read from here on
//   WP_RETURN_IF_ERROR(file->Finish(0));                      // the trailer
//
// Memory: one compressed chunk. Chunks end by themselves after a few MiB.
// Not thread-safe.
#pragma once

#include <zstd.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "harness/base/status.h"
#include "harness/history/chunk.h"

namespace watchproof {

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
