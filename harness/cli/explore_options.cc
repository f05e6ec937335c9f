// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/explore_options.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "harness/decide/found_script.h"
#include "harness/report/text.h"
#include "harness/results/attempt_spec.h"
#include "harness/runs/selection.h"
#include "harness/scenario/steps/explored.h"

namespace watchproof {

namespace fs = std::filesystem;
using explore::Script;

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
  return fmt::format("{} features, {}", corpus.features(), Count(buckets, "bucket"));
}

std::string KindsText(std::size_t buckets) {
  return fmt::format("{} of finding{}", Count(buckets, "kind"), buckets == 1 ? "" : "s");
}

std::vector<std::string> GuaranteesOf(const std::vector<const explore::Bucket*>& buckets,
                                      const std::string& beside) {
  std::vector<std::string> names;
  for (const explore::Bucket* bucket : buckets) {
    const std::string name(Name(bucket->broken().guarantee));
    if (name != beside && !Contains(names, name)) names.push_back(name);
  }
  return names;
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

}  // namespace watchproof
