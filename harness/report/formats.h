// SPDX-License-Identifier: Apache-2.0
// The files that are rendered from a run record when it ends, also when it ends early.
//
//   for (const Format& format : AllFormats()) Write(folder / format.file, format.render(record));
//
// Another format is one file with its render function, and one row in formats.cc.
// Threads: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/report/run_record.h"

namespace watchproof {

struct Format {
  std::string_view file;
  std::string (*render)(const RunRecord&);
};
const std::vector<Format>& AllFormats();

std::string ToJunit(const RunRecord& record);
std::string ToCtrf(const RunRecord& record);
std::string ToMarkdown(const RunRecord& record);
std::string ToHtml(const RunRecord& record);
// Chrome's trace format: one track per attempt, fault periods as asynchronous events.
std::string ToTrace(const RunRecord& record);

}  // namespace watchproof
