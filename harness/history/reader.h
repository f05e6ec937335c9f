// SPDX-License-Identifier: Apache-2.0
// Reads a recorded history back, entry by entry.
//
//   WP_ASSIGN_OR_RETURN(auto reader, HistoryReader::Open(path));
//   WP_RETURN_IF_ERROR(reader->Each([&](const NumberedEntry& line) {
//     judge.Consume(line);
//     return true;
//   }));
//   if (!reader->damage().empty()) ...   // not all that was recorded has been read
//
// A folder with segments, as a proxy records them, is read as one recording: lines are numbered
// through, and those with which a segment restates what earlier ones began are left out, but in the
// first that is still there. Each segment can be judged on its own, and old ones may have been
// dropped.
//
//   folder / SegmentName(3)          // "segment-000003.wire.zst"
//   WP_ASSIGN_OR_RETURN(const std::vector<Segment> segments, SegmentsIn(folder));
//
// A chunk (chunk.h) is read whole and its hash verified before the first of its entries is handed
// out. Reading ends at the last verified line if the bytes differ from what a recorder writes.
// Not thread-safe. Ownership: entries own their payload. Memory: one chunk, and the event window.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/status.h"
#include "harness/history/recorder.h"

namespace watchproof {

struct Segment {
  int number = 0;  // from 1
  std::filesystem::path file;
};

std::string SegmentName(int number);
// Empty if it is no such name.
std::optional<int> SegmentNumber(const std::filesystem::path& file);
// By number; without any the folder is no such recording.
Result<std::vector<Segment>> SegmentsIn(const std::filesystem::path& folder);

class HistoryReader {
 public:
  // Errors name the file, and the version of a recording of another version. A file that is empty,
  // cut off or damaged opens without an error.
  static Result<std::unique_ptr<HistoryReader>> Open(const std::filesystem::path& path);
  ~HistoryReader();

  // Empty at the end, which may be an early one: see damage(). Errors are the system's, while
  // reading the file.
  Result<std::optional<NumberedEntry>> Next();
  // Until the end, or until `visit` returns false.
  template <typename Visit>
  Status Each(Visit visit) {
    while (true) {
      WP_ASSIGN_OR_RETURN(const std::optional<NumberedEntry> line, Next());
      if (!line || !visit(*line)) return {};
    }
  }
  // After the end: empty if the recording is whole, otherwise why not and up to where it was read,
  // such as "cut off after line 12: the trailer is missing".
  const std::string& damage() const { return damage_; }
  // Likewise: the file only ends early, as when its writer was killed. Nothing in it is damaged.
  bool unfinished() const;

 private:
  class FileReader;  // of one file

  explicit HistoryReader(std::vector<Segment> files);
  Status OpenNext();
  // Whether the next file begins where this one ended.
  Result<bool> Continue();

  const std::vector<Segment> files_;
  std::size_t next_ = 0;  // among them
  std::unique_ptr<FileReader> file_;
  Line line_{};
  std::string damage_;
};

}  // namespace watchproof
