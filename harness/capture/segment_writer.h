// SPDX-License-Identifier: Apache-2.0
// Writes a recording in segments of bounded size and drops the oldest, so that a recording may last
// for weeks.
//
//   WP_ASSIGN_OR_RETURN(auto segments, SegmentWriter::Open({.folder = folder, .limit = limit}));
//   segments->Append(entry);
//   if (segments->full()) segments->BeginNext(restated);    // what the next one has to begin with
//   WP_RETURN_IF_ERROR(segments->Close());
//
// A segment is a whole recording: its first line has its number, and says how many lines after it
// restate what earlier segments began. Append waits while the disk is slower than what comes; after
// an error nothing more is written. Not thread-safe.
#pragma once

#include <deque>
#include <filesystem>
#include <memory>
#include <vector>

#include "harness/base/status.h"
#include "harness/base/units.h"
#include "harness/history/recorder.h"
#include "harness/history/run_started.h"

namespace watchproof {

class SegmentWriter {
 public:
  struct Options {
    std::filesystem::path folder;  // made if it is missing
    ByteCount limit;               // of all segments together
    RunStarted started;            // without the number of the segment
  };
  // An error if the folder has a recording: it would be mixed up with this one.
  static Result<std::unique_ptr<SegmentWriter>> Open(const Options& options);

  // False once nothing can be written any more.
  bool Append(Entry entry);
  bool full();
  void BeginNext(std::vector<Entry> restated);
  Status Close();

  int written() const { return number_; }
  int dropped() const { return number_ - static_cast<int>(closed_.size()) - 1; }

  // A segment takes this part of the limit.
  static constexpr std::int64_t kParts = 8;

 private:
  struct Closed {
    std::filesystem::path file;
    std::int64_t size = 0;
  };

  explicit SegmentWriter(Options options) : options_(std::move(options)) {}
  std::filesystem::path File() const;
  std::int64_t Size() const;
  Status Begin(std::vector<Entry> restated);
  void DropOldest();

  const Options options_;
  int number_ = 0;  // of the current segment
  std::unique_ptr<Recorder> recorder_;
  std::int64_t appended_ = 0;  // bytes since the size of the file was looked up
  std::deque<Closed> closed_;
  Status outcome_;
};

}  // namespace watchproof
