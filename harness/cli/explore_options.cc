// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/explore_options.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "harness/base/escape.h"
#include "harness/results/attempt_spec.h"
#include "harness/scenario/steps/explored.h"

namespace watchproof {

namespace fs = std::filesystem;
using explore::Script;
namespace {

constexpr std::size_t kConsequencesShown = 4;

}  // namespace

Result<Script> ReadScript(const fs::path& file) {
  WP_ASSIGN_OR_RETURN(const PlanFile plan, ReadPlan(file));
  if (auto script = ScriptOf(plan.plan)) return *std::move(script);
  return Fail(StatusCode::kInvalidArgument, "{}: expected a plan with steps of exploration alone",
              file.string());
}

Result<std::vector<Script>> ReadScripts(const fs::path& folder) {
  std::vector<Script> scripts;
  if (folder.empty() || !fs::exists(folder)) return scripts;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  std::ranges::sort(files);
  for (const fs::path& file : files) {
    WP_ASSIGN_OR_RETURN(Script script, ReadScript(file));
    scripts.push_back(std::move(script));
  }
  return scripts;
}

Result<std::string> KeepCorpus(const ExploreOptions& options, const explore::Corpus& corpus) {
  std::size_t written = 0;
  if (!options.corpus.empty()) {
    for (const Script& script : corpus.scripts()) {
      const fs::path file = fmt::format("{:06}.jsonl", written++);
      const PlanHeader header{
          .case_name = std::string(kKeptScript),
          .target = options.target ? options.target->text : std::string(kVirtualTime),
          .seed = FormatSeed(options.seed)};
      WP_RETURN_IF_ERROR(WriteText(options.corpus / file, ToText({header, PlanOf(script)})));
    }
  }
  const explore::SituationCoverage& coverage = corpus.coverage();
  if (!options.missing.empty()) WP_RETURN_IF_ERROR(WriteText(options.missing, coverage.Missing()));
  return fmt::format("situations {}\n", coverage.Summary());
}

std::string FoundText(const explore::Corpus& corpus, std::size_t buckets) {
  return fmt::format("{} features, {} {}", corpus.features(), buckets,
                     buckets == 1 ? "bucket" : "buckets");
}

void ListReasons(const std::map<std::string, std::uint64_t>& reasons, Console& console) {
  for (const auto& [reason, times] : reasons) {
    console.Note(fmt::format("  {} times: {}", times, reason));
  }
}

std::string DescribeAfter(const std::vector<const explore::Bucket*>& after) {
  std::string text;
  for (std::size_t i = 0; i < std::min(after.size(), kConsequencesShown); ++i) {
    const explore::Bucket& one = *after[i];
    text += fmt::format("  {} {}, {} {}: {}\n", i == 0 ? "then      " : "          ",
                        Name(one.broken().guarantee), one.times,
                        one.times == 1 ? "finding" : "findings",
                        Escaped(explore::WithoutNumbers(one.broken().expected)));
  }
  if (after.size() > kConsequencesShown) {
    text += fmt::format("             and {} more kinds, never without one of these before\n",
                        after.size() - kConsequencesShown);
  }
  return text;
}

std::vector<const explore::Bucket*> AlsoShown(const std::vector<Finding>& findings,
                                              const std::string& own,
                                              const std::vector<const explore::Bucket*>& buckets) {
  std::vector<const explore::Bucket*> shown;
  for (const explore::Bucket* bucket : buckets) {
    if (bucket->shape != own && explore::Shows(findings, bucket->shape)) shown.push_back(bucket);
  }
  return shown;
}

void SaySeed(const ExploreOptions& options, Console& console) {
  console.Result(fmt::format("seed {}\n", FormatSeed(options.seed)));
}

}  // namespace watchproof
