// SPDX-License-Identifier: Apache-2.0
#include "harness/report/run_json.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <thread>

#include "harness/history/json_fields.h"
#include "harness/report/mutation.h"
#include "harness/report/rows.h"
#include "harness/report/utc.h"

namespace watchproof {
namespace {

constexpr int kSchema = 1;

Json Machine() {
  utsname name{};
  uname(&name);
  return {{"name", name.nodename},
          {"system", fmt::format("{} {}", name.sysname, name.release)},
          {"architecture", name.machine},
          {"cores", std::thread::hardware_concurrency()}};
}

Json Flags(const RunRecord& record) {
  Json flags = Json::object();
  for (const auto& [name, flag] : record.flags) {
    flags[name] = {{"value", flag.value}, {"origin", flag.origin}, {"values", flag.values}};
  }
  return flags;
}

Json CaseNames(const RunRecord& record) {
  Json names = Json::array();
  for (const CaseSummary& note : record.cases) names.push_back(note.name);
  return names;
}

Json ToJson(const ShardSummary& shard) {
  return {{"index", shard.index}, {"count", shard.count},     {"cut", shard.cut},
          {"cases", shard.cases}, {"targets", shard.targets}, {"repeat", shard.repeat}};
}

// By target, not by attempt: what is not on this machine is not there for any case.
std::set<std::string> NotFetched(const RunRecord& record) {
  std::set<std::string> targets;
  for (const NotRun& left : record.not_run) {
    if (left.outcome == Outcome::kNotFetched) targets.insert(left.target);
  }
  return targets;
}

}  // namespace

std::string ToRunJson(const RunRecord& record, Finished finished) {
  Json targets = Json::array();
  const std::vector<std::string> labels = RowsOf(record).labels;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    Json target{{"spec", record.targets[i].text}, {"label", labels[i]}};
    if (const auto found = record.binaries.find(record.targets[i].text);
        found != record.binaries.end()) {
      const BinaryRecord& binary = found->second;
      target["binary"] = {{"path", binary.binary.string()},
                          {"sha256", binary.sha256},
                          {"source", binary.source},
                          {"built_from", binary.built_from}};
    }
    targets.push_back(std::move(target));
  }
  Json json{{"schema", kSchema},      {"id", record.id},
            {"seed", record.seed},    {"started", record.started},
            {"targets", targets},     {"cases", CaseNames(record)},
            {"flags", Flags(record)}, {"versions", record.versions},
            {"machine", Machine()},   {"pid", getpid()}};
  json["repeat_flags"] = record.repeat_flags;
  json["program_sha256"] = record.program_sha256;
  if (!record.rerun_of.empty()) json["rerun_of"] = record.rerun_of;
  if (!record.resumed.empty()) json["resumed"] = record.resumed;
  if (!record.left_out.empty()) json["left_out"] = record.left_out;
  if (record.shard) json["shard"] = ToJson(*record.shard);
  if (const auto absent = NotFetched(record); !absent.empty()) json["not_fetched"] = absent;
  if (record.named_not_fetched) json["named_not_fetched"] = true;
  std::error_code ignored;
  json["working_folder"] = std::filesystem::current_path(ignored).string();
  if (finished == Finished::kYes) {
    const std::int64_t start = ParseUtc(record.started).value_or(0);
    json["finished"] = FormatUtc(start + std::llround(record.seconds));
    json["seconds"] = record.seconds;
    json["interrupted"] = record.interrupted;
    json["counts"] = NamedCounts(CountOutcomes(record));
    if (!record.defects.empty()) json["mutation"] = MutationJson(record);
    json["stale_expectations"] = record.stale;
    if (!record.incomplete.empty()) json["incomplete"] = record.incomplete;
    if (!record.shard_notes.empty()) json["shard_notes"] = record.shard_notes;
    json["exit_code"] = record.exit_code;
  }
  return DumpJson(json, 1) + "\n";
}

Result<RepeatSummary> ParseRepeatSummary(const std::string& run_json) {
  const Json json = Json::parse(run_json, nullptr, false);
  const auto is_text = [](const Json& value) { return value.is_string(); };
  if (!json.is_object() || !json.contains("repeat_flags") || !json["repeat_flags"].is_array() ||
      !std::ranges::all_of(json["repeat_flags"], is_text) || !json.contains("working_folder") ||
      !is_text(json["working_folder"])) {
    return Fail(StatusCode::kInvalidArgument,
                "expected the document of a run, with repeat_flags and working_folder");
  }
  return RepeatSummary{.flags = json["repeat_flags"],
                       .working_folder = json["working_folder"].get<std::string>()};
}

std::string ToPlanHeader(const RunRecord& record) {
  Json targets = Json::array();
  for (const TargetSpec& target : record.targets) targets.push_back(target.text);
  Json json{{"schema", kSchema},
            {"kind", "run"},
            {"seed", record.seed},
            {"targets", targets},
            {"cases", CaseNames(record)},
            {"repeat", record.plan.repeat},
            {"shuffle", record.plan.shuffle},
            {"faults", record.plan.faults},
            {"no_faults", record.plan.no_faults},
            {"bypass_proxy", record.plan.bypass_proxy}};
  for (const AttemptName& name : record.plan.only) {
    json["only"].push_back({name.case_name, name.target, name.attempt});
  }
  return DumpJson(json);
}

std::string SummaryJson(const RunRecord& record) {
  return DumpJson({{"kind", "summary"},
                   {"sentence", Sentence(record)},
                   {"seed", record.seed},
                   {"folder", record.folder},
                   {"counts", NamedCounts(CountOutcomes(record))},
                   {"exit_code", record.exit_code}});
}

std::string ToJsonObject(const TextFields& fields, const TextFields& facts) {
  Json json = Json::object();
  for (const auto& [name, value] : fields) json[name] = value;
  for (const auto& [name, value] : facts) json["facts"][name] = value;
  return DumpJson(json);
}

}  // namespace watchproof
