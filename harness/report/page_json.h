// SPDX-License-Identifier: Apache-2.0
// The data of report.html, as harness/report/web/page.schema.json describes it: the run, which the
// page reads when it opens, and the details of an attempt and the courses of a case, which it
// unpacks when they are shown.
//
//   const PageData data = PageDataOf(record);
//   out << DumpJson(data.run);   for (const std::string& detail : data.details) ...
//
// Reads the recordings of the run for their pictures. Threads: a function without state.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/history/json_fields.h"
#include "harness/report/run_record.h"

namespace watchproof {

struct PageData {
  Json run;
  // Packed; attempts and cases name them by their index.
  std::vector<std::string> details;
  std::vector<std::string> courses;
};
PageData PageDataOf(const RunRecord& record);

// Base64 of the zlib form, which a page unpacks with DecompressionStream("deflate").
std::string PackedText(std::string_view text);
// The page without data, as built: harness/report/web/dist/page.html, part of the executable.
std::string_view PageBundle();

}  // namespace watchproof
