// SPDX-License-Identifier: Apache-2.0
// Reads a recorded history back, entry by entry.
//
//   WP_ASSIGN_OR_RETURN(auto reader, HistoryReader::Open(path));
//   while (true) {
//     WP_ASSIGN_OR_RETURN(auto line, reader->Next());
//     if (!line) break;
//     judge.Consume(*line);
//   }
//   if (reader->truncated()) ...   // the recorder did not live to finish its file
//
// Not thread-safe. Ownership: entries own their payload.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "harness/base/status.h"
#include "harness/history/recorder.h"

namespace watchproof {

class HistoryReader {
 public:
  // Errors name the file; a file that is not a history says so.
  static Result<std::unique_ptr<HistoryReader>> Open(const std::filesystem::path& path);
  ~HistoryReader();

  // Empty at the end. A file that was cut off is read up to its last whole entry.
  Result<std::optional<NumberedEntry>> Next();
  // After the end: whether the file was cut off.
  bool truncated() const;

 private:
  class Impl;
  explicit HistoryReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace watchproof
