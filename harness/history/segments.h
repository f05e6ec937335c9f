// SPDX-License-Identifier: Apache-2.0
// The names of the files of a recording in segments: each can be judged on its own, and old ones
// may have been dropped.
//
//   folder / SegmentName(3)          // "segment-000003.wire.zst"
//   WP_ASSIGN_OR_RETURN(const std::vector<Segment> segments, SegmentsIn(folder));
//
// Threads: functions without state.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/status.h"

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

}  // namespace watchproof
