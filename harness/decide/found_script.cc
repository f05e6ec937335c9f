// SPDX-License-Identifier: Apache-2.0
#include "harness/decide/found_script.h"

#include <fstream>

#include "harness/scenario/steps/explored.h"
#include "harness/session/finding_records.h"

namespace watchproof {

namespace fs = std::filesystem;
using explore::Script;

Status WriteText(const fs::path& file, const std::string& text) {
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  std::ofstream stream(file, std::ios::binary);
  stream << text << std::flush;
  if (stream) return Status();
  return Fail(StatusCode::kUnavailable, "{}: it cannot be written", file.string());
}

Status WriteFound(const fs::path& file, const Script& script, const Finding& shown,
                  std::string_view target, std::uint64_t seed) {
  return WriteText(file, ToText(PlanOfFound(script, shown, target, seed)));
}

FoundFinding FoundIn(const explore::Bucket& bucket, const Finding& shown, const Script& smallest,
                     const BugCarrier& target) {
  FoundFinding found{.finding = RecordsOf(std::vector{shown}, {}, target).front(),
                     .known = bucket.known,
                     .times = bucket.times,
                     .steps = StepTexts(PlanOf(smallest)),
                     .alone = Proportion()};
  if (smallest.server != explore::Server()) {
    found.settings = explore::DescribeServer(smallest.server);
  } else if (smallest.limits != explore::Limits()) {
    found.settings = explore::DescribeLimits(smallest.limits);
  }
  return found;
}

}  // namespace watchproof
