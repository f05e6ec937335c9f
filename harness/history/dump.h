// SPDX-License-Identifier: Apache-2.0
// A recording as JSON for people and ordinary tools: all lines, or only the evidence of a finding.
//
//   fmt::print("{}\n", DumpLine(line));                      // one JSON document on one line
//   auto excerpts = ExcerptFor(file, {{Line(417), Line(590)}});   // one JSON array per evidence
//
// Keys and values that are not UTF-8 are shown with replacement characters; long values are cut,
// with their full length beside. Threads: any.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/status.h"
#include "harness/history/recorder.h"

namespace watchproof {

std::string DumpLine(const NumberedEntry& line);

// For each list of evidence: those lines, and what the watches in them received shortly before and
// after. Reads the file once.
Result<std::vector<std::string>> ExcerptFor(const std::filesystem::path& file,
                                            const std::vector<std::vector<Line>>& evidence);

}  // namespace watchproof
