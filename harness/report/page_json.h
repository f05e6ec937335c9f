// SPDX-License-Identifier: Apache-2.0
// The data of report.html, as harness/report/web/page.schema.json describes it: the run, which the
// page reads when it opens, and the details of an attempt, which it unpacks when they are shown.
//
//   const PageData data = PageDataOf(record);
//   out << DumpJson(data.run);   for (const Json& detail : data.details) ...
//
// Reads the recordings of the run for their pictures. Threads: a function without state.
#pragma once

#include <string>
#include <vector>

#include "harness/history/json_fields.h"
#include "harness/report/run_record.h"

namespace watchproof {

struct PageData {
  Json run;
  std::vector<std::string> details;  // packed; attempts name them by their index
};
PageData PageDataOf(const RunRecord& record);

}  // namespace watchproof
