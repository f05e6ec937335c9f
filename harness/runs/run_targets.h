// SPDX-License-Identifier: Apache-2.0
// The targets of a run: those that were named, every release of the manifest or of the cache
// (`--releases`), or the clean embedded store and one target per planted defect (`--defects`); and
// each consumer (`--consumer`) on each of them, built before the first attempt.
//
//   WP_RETURN_IF_ERROR(SetTargets({"etcd@3.5.16"}, options));
//   WP_RETURN_IF_ERROR(AddTargets(defects, expectations, options));
//   WP_RETURN_IF_ERROR(AddConsumers(options));               // targets become "NAME on TARGET"
//   WP_RETURN_IF_ERROR(AcceptKnown(options.targets, expectations));
//   record.targets = ColumnsOf(options.targets);             // each target, too: it has a verdict
//   consumers = BuildConsumers(options.targets, print_line);
//
// A release that was not fetched becomes a column "not fetched"; exit code 3 if it was named on the
// command line. Not thread-safe.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "harness/base/status.h"
#include "harness/report/run_record.h"
#include "harness/results/expectations.h"
#include "harness/runs/run_options.h"

namespace watchproof {

// The manifest of releases, an empty path: the built-in one; and what is accepted beside it. Errors
// name the flag, the file and the line.
Result<Expectations> LoadExpectations(const std::filesystem::path& manifest,
                                      const std::vector<std::filesystem::path>& baselines = {});
// Those of which releases can be fetched, by name; tools beside them are none.
std::vector<std::string> KnownProducts(const Expectations& expectations);
// Whether there may be such a release. What the manifest does not have can be fetched from Go's
// registry, or not at all.
Status CheckRelease(const Expectations& expectations, const std::string& product,
                    const std::string& version);
// "3.3.25", "3.4.23": in the order of the manifest.
std::vector<std::string> KnownVersions(const Expectations& expectations,
                                       const std::string& product);

// The only place where the text of a target is parsed. Errors name the text and what was expected:
// also that a defect is not known, and that a target is given twice.
Result<std::vector<TargetSpec>> ParseTargets(const std::vector<std::string>& texts);
// Errors name what is known.
Status CheckDefect(const std::string& name);

// Replaces the targets that are named. Errors also say if others exclude them.
Status SetTargets(const std::vector<std::string>& texts, RunOptions& options);
// Gives the targets the access and the permissions of the options. An error: a permission is for a
// server that is not a target, so its address is mistyped.
Status GiveAccess(RunOptions& options);

// `words`: "all", or names. Errors name the word and what is known. By name.
Result<std::vector<DefectSummary>> DefectsNamed(const std::vector<std::string>& words);

// Adds the targets that options name in other ways than by --target. A release that neither the
// manifest nor the cache has is an error.
Status AddTargets(const std::vector<DefectSummary>& defects, const Expectations& expectations,
                  RunOptions& options);

// The options without the targets that were not fetched; those become columns of the record, and
// the others have their binaries in it. Prints on standard error how to fetch those that were
// named.
RunOptions SetAsideNotFetched(const RunOptions& options, RunRecord& record);

// What the manifest says that releases of the target's kind do not offer, by version.
std::map<std::string, std::vector<std::string>> MissingOfReleases(const Expectations& expectations,
                                                                  const TargetSpec& target);

// The SHA-256 of this program and of each program that a target starts, in the record. One that
// cannot be read is left out: its start will say why.
void RecordPrograms(RunRecord& record);

struct RunConsumer {
  std::vector<std::string> layers;
  std::vector<std::string> can;
  std::vector<std::string> command;
  int jobs = 1;         // as in its recipe
  std::string missing;  // why it cannot be started on this machine; empty: it can
};
using RunConsumers = std::map<std::string, RunConsumer>;  // by name

// Errors name the consumer and what was expected.
Status AddConsumers(RunOptions& options);
// Failures of the consumers that their folders say are known. Errors name the file.
Status AcceptKnown(const std::vector<TargetSpec>& targets, Expectations& expectations);
// Whether consumers take part: all targets have one then.
bool HasConsumers(const std::vector<TargetSpec>& targets);
std::vector<TargetSpec> ColumnsOf(const std::vector<TargetSpec>& targets);
// An error of a build is one of the run; a tool that this machine lacks is not.
Result<RunConsumers> BuildConsumers(const std::vector<TargetSpec>& targets,
                                    const std::function<void(const std::string&)>& report);

}  // namespace watchproof
