// SPDX-License-Identifier: Apache-2.0
#include "harness/decide/found_script.h"

#include <fstream>

#include "harness/base/escape.h"
#include "harness/scenario/steps/explored.h"

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

std::string DescribeBucket(int number, const explore::Bucket& bucket, const Finding& shown,
                           const Script& smallest) {
  std::string text = fmt::format(
      "\n{}. {}, {} {}, first in script {}\n  expected   {}\n  observed   {}\n  watch      "
      "{}\n  steps      {}\n",
      number, Name(shown.guarantee), bucket.times, bucket.times == 1 ? "finding" : "findings",
      bucket.first, Escaped(shown.expected), Escaped(shown.observed), Escaped(shown.watch),
      explore::DescribeLimits(smallest.limits));
  for (std::size_t i = 0; i < smallest.steps.size(); ++i) {
    text += fmt::format("    {:>3}  {}\n", i + 1, explore::Describe(smallest.steps[i]));
  }
  return text + "         standing promises\n";
}

std::string LooksLike(const Finding& broken, const BugCarrier& target) {
  if (broken.signature.empty()) return {};
  const std::string text = KnownBugText(broken.signature, target);
  return text.empty() ? std::string() : fmt::format("  looks like {}\n", text);
}

}  // namespace watchproof
