// SPDX-License-Identifier: Apache-2.0
#include "harness/report/run_listing.h"

#include "harness/history/json_fields.h"
#include "harness/report/saved_run.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;

std::uint64_t BytesIn(const fs::path& folder) {
  std::uint64_t bytes = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    std::error_code vanished;
    const bool is_file = at->is_regular_file(vanished);
    const std::uintmax_t size = is_file ? at->file_size(vanished) : 0;
    if (!vanished) bytes += size;
  }
  return bytes;
}

}  // namespace

Result<RunListing> ListRun(const fs::path& folder) {
  WP_ASSIGN_OR_RETURN(const RunRecord record, ReadRun(folder, [](const std::string& name) {
                        return CaseSummary{.name = name};
                      }));
  RunListing run{.id = record.id,
                 .started = record.started,
                 .ending = record.interrupted.empty() ? "finished" : record.interrupted,
                 .targets = {},
                 .tally = CountOutcomes(record),
                 .bytes = BytesIn(folder),
                 .rerun_of = record.rerun_of};
  for (const TargetSpec& target : record.targets) run.targets.push_back(target.text);
  return run;
}

std::string ToJson(const RunListing& run) {
  Json json{{"schema", 1},          {"id", run.id},           {"started", run.started},
            {"ending", run.ending}, {"targets", run.targets}, {"counts", NamedCounts(run.tally)},
            {"bytes", run.bytes}};
  if (!run.rerun_of.empty()) json["rerun_of"] = run.rerun_of;
  return DumpJson(json);
}

}  // namespace watchproof
