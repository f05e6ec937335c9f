// SPDX-License-Identifier: Apache-2.0
#include "harness/report/saved_run.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>
#include <set>

#include "harness/history/json_fields.h"
#include "harness/history/packed_text_file.h"
#include "harness/report/standing.h"
#include "harness/report/utc.h"
#include "harness/results/result_line.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;

Status NotARun(const fs::path& file, std::string_view why) {
  return Fail(StatusCode::kInvalidArgument, "{}: {}; expected the folder of a run", file.string(),
              why);
}

TargetSpec SpecOf(const std::string& text) {
  auto spec = ParseTargetSpec(text);
  return spec.has_value() ? *std::move(spec) : TargetSpec{.text = text};
}

void AddDefects(const Json& json, RunRecord& record) {
  const auto mutation = json.find("mutation");
  if (mutation == json.end()) return;
  for (const Json& defect : mutation->at("defects")) {
    DefectSummary summary{.name = defect.at("defect"),
                          .target = defect.at("target"),
                          .upstream = defect.at("upstream"),
                          .guarantees = {}};
    for (const auto& [guarantee, cases] : defect.at("must_be_caught_by").items()) {
      summary.guarantees.push_back(guarantee);
    }
    record.defects.push_back(std::move(summary));
  }
}

ShardSummary ReadShard(const Json& json) {
  return {.index = json.at("index"),
          .count = json.at("count"),
          .cut = json.at("cut"),
          .cases = json.at("cases"),
          .targets = json.at("targets"),
          .repeat = json.at("repeat")};
}

// May throw what the library throws.
void ReadOptions(const Json& json, const CaseLookup& describe, RunRecord& record) {
  record.id = json.at("id");
  record.seed = json.at("seed");
  record.started = json.at("started");
  record.versions = json.at("versions");
  record.repeat_flags = json.at("repeat_flags");
  for (const auto& [name, flag] : json.at("flags").items()) {
    record.flags[name] = {.value = flag.at("value"),
                          .origin = flag.at("origin"),
                          .values = flag.value("values", std::vector<std::string>())};
  }
  for (const Json& target : json.at("targets")) {
    record.targets.push_back(SpecOf(target.at("spec")));
    if (!target.contains("binary")) continue;
    const Json& binary = target.at("binary");
    record.binaries[target.at("spec")] = {.binary = binary.at("path").get<std::string>(),
                                          .sha256 = binary.at("sha256"),
                                          .source = {},
                                          .built_from = {}};
  }
  record.program_sha256 = json.value("program_sha256", "");
  record.rerun_of = json.value("rerun_of", "");
  record.resumed = json.value("resumed", std::vector<std::string>());
  for (const std::string name : json.at("cases")) {
    if (!IsStandingCase(name)) record.cases.push_back(describe(name));
  }
  record.interrupted = json.contains("finished") ? json.value("interrupted", "") : "killed";
  record.seconds = json.value("seconds", 0.0);
  record.exit_code = json.value("exit_code", 0);
  if (json.contains("stale_expectations")) record.stale = json.at("stale_expectations");
  if (json.contains("left_out")) record.left_out = json.at("left_out");
  record.incomplete = json.value("incomplete", std::vector<std::string>());
  record.shard_notes = json.value("shard_notes", std::vector<std::string>());
  record.named_not_fetched = json.value("named_not_fetched", false);
  if (json.contains("shard")) record.shard = ReadShard(json.at("shard"));
  AddDefects(json, record);
}

AttemptSummary SummaryOf(AttemptResult result, const RunRecord& record) {
  const bool known = result.known;
  AttemptSummary summary{.result = std::move(result)};
  summary.expectation =
      Expectations::BuiltIn().Apply(SpecOf(summary.result.target), summary.result);
  if (known) summary.expectation = ExpectationStatus::kKnownFailure;
  const auto start = ParseUtc(record.started);
  const auto begin = ParseUtc(summary.result.started);
  if (start && begin) summary.begin = static_cast<double>(*begin - *start);
  return summary;
}

// The first line of the plans. Without one, each case was to run once on each target.
void ReadPlanHeader(const fs::path& file, RunRecord& record) {
  Json header;
  const auto visit = [&header](std::string_view part) {
    header = Json::parse(part, nullptr, /*allow_exceptions=*/false);
    return false;
  };
  if (!VisitPacked(file, visit).has_value() || !header.is_object()) return;
  record.plan.repeat = header.value("repeat", 1);
  for (const Json& name : header.value("only", Json::array())) {
    record.plan.only.insert({.case_name = name.at(0), .target = name.at(1), .attempt = name.at(2)});
  }
}

// The attempts that were planned and have no result.
void AddNotRun(const std::set<std::string>& not_fetched, RunRecord& record) {
  std::set<AttemptName> ran;
  for (const AttemptSummary& attempt : record.attempts) ran.insert(NameOf(attempt));
  const auto add = [&](const AttemptName& name) {
    const bool planned = record.plan.only.empty() || record.plan.only.contains(name);
    if (!planned || ran.contains(name)) return;
    const bool absent = not_fetched.contains(name.target);
    record.not_run.push_back(
        NotRunOf(name, record.seed, absent ? Outcome::kNotFetched : Outcome::kNotRun));
  };
  for (int attempt = 1; attempt <= record.plan.repeat; ++attempt) {
    for (const CaseSummary& summary : record.cases) {
      for (const TargetSpec& target : record.targets) add({summary.name, target.text, attempt});
    }
  }
}

template <typename T, typename Name>
void AddNew(const std::vector<T>& from, std::vector<T>& into, Name name) {
  for (const T& one : from) {
    if (std::ranges::find(into, std::invoke(name, one), name) == into.end()) into.push_back(one);
  }
}

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

Result<RunRecord> ReadRun(const fs::path& folder, const CaseLookup& describe) {
  std::ifstream options(folder / "run.json");
  if (!options) return tl::unexpected(NotARun(folder, "there is no run.json in it"));
  RunRecord record;
  record.folder = folder.string();
  record.executable = "watchproof";
  std::set<std::string> not_fetched;
  try {
    const Json json = Json::parse(options);
    ReadOptions(json, describe, record);
    not_fetched = json.value("not_fetched", not_fetched);
    ReadPlanHeader(folder / "plan.jsonl.zst", record);
  } catch (const nlohmann::json::exception& error) {
    return tl::unexpected(NotARun(folder / "run.json", error.what()));
  }
  std::ifstream results(folder / "results.jsonl");
  double end = 0;
  for (std::string line; std::getline(results, line);) {
    auto result = ReadResultsLine(line, folder);
    if (!result.has_value() && results.eof()) break;
    if (!result.has_value()) {
      return std::move(result).error().WithContext("{}", (folder / "results.jsonl").string());
    }
    AddNew({SpecOf(result->target)}, record.targets, &TargetSpec::text);
    const bool standing = IsStandingCase(result->case_name);
    if (!standing) AddNew({describe(result->case_name)}, record.cases, &CaseSummary::name);
    record.attempts.push_back(SummaryOf(*std::move(result), record));
    end = std::max(end, record.attempts.back().begin + record.attempts.back().result.seconds);
  }
  if (record.seconds == 0) record.seconds = end;
  AddNotRun(not_fetched, record);
  RenewBrokenPromises(record);
  return record;
}

RunRecord Joined(std::vector<RunRecord> runs, const fs::path& folder, Numbers numbers) {
  std::ranges::sort(runs, {}, &RunRecord::started);
  RunRecord all = runs.front();
  all.folder = folder.string();
  all.attempts.clear();
  all.not_run.clear();
  all.seconds = 0;
  const std::int64_t start = ParseUtc(all.started).value_or(0);
  using Pair = std::pair<std::string, std::string>;
  std::map<Pair, int> counted;  // attempts of a case on a target, in earlier runs
  for (std::size_t i = 0; i < runs.size(); ++i) {
    RunRecord& run = runs[i];
    if (i > 0) {
      AddNew(run.left_out, all.left_out, std::identity());
      all.id += " + " + run.id;
      if (run.seed != all.seed) all.seed += ", " + run.seed;
      all.defects.clear();
      all.stale.insert(all.stale.end(), run.stale.begin(), run.stale.end());
    }
    if (all.interrupted.empty()) all.interrupted = run.interrupted;
    AddNew(run.targets, all.targets, &TargetSpec::text);
    AddNew(run.cases, all.cases, &CaseSummary::name);
    const double later = static_cast<double>(ParseUtc(run.started).value_or(start) - start);
    std::map<Pair, int> most;
    for (AttemptSummary& attempt : run.attempts) {
      AttemptResult& result = attempt.result;
      const Pair pair(result.case_name, result.target);
      most[pair] = std::max(most[pair], result.attempt);
      result.attempt += counted[pair];
      if (!result.folder.empty()) {
        const fs::path from = fs::weakly_canonical(fs::path(run.folder) / result.folder);
        result.folder = from.lexically_relative(fs::weakly_canonical(folder)).string();
      }
      attempt.begin += later;
      attempt.run = run.folder;
      attempt.repeat_flags = run.repeat_flags;
      all.seconds = std::max(all.seconds, attempt.begin + result.seconds);
      all.attempts.push_back(std::move(attempt));
    }
    for (NotRun& left : run.not_run) {
      const Pair pair(left.case_name, left.target);
      left.attempt += counted[pair];
      most[pair] = std::max(most[pair], left.attempt);
      all.not_run.push_back(std::move(left));
    }
    if (numbers == Numbers::kAsTheyAre) continue;
    for (const auto& [pair, number] : most) counted[pair] = std::max(counted[pair], number);
  }
  // What one run left out another one may have run.
  for (const CaseSummary& summary : all.cases) std::erase(all.left_out, summary.name);
  return all;
}

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

bool ShowsNewFailure(const fs::path& folder) {
  std::ifstream file(folder / "run.json", std::ios::binary);
  const Json json = Json::parse(file, nullptr, false);
  if (json.is_object() && json.contains("counts")) {
    const Json& counts = json["counts"];
    const auto number = [&counts](Outcome outcome) {
      const auto found = counts.find(StyleOf(outcome).name);
      return found != counts.end() && found->is_number_integer() ? found->get<int>() : 0;
    };
    return number(Outcome::kFail) + number(Outcome::kRegression) > 0;
  }
  const Result<RunListing> killed = ListRun(folder);
  if (!killed.has_value()) return false;
  Tally tally = killed->tally;
  return tally[Outcome::kFail] + tally[Outcome::kRegression] > 0;
}

std::string ToJson(const RunListing& run) {
  Json json{{"schema", 1},          {"id", run.id},           {"started", run.started},
            {"ending", run.ending}, {"targets", run.targets}, {"counts", NamedCounts(run.tally)},
            {"bytes", run.bytes}};
  if (!run.rerun_of.empty()) json["rerun_of"] = run.rerun_of;
  return DumpJson(json);
}

}  // namespace watchproof
