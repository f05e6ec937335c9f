// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/plan.h"

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "harness/base/escape.h"
#include "harness/history/packed_text_file.h"
#include "harness/scenario/plan_check.h"
#include "harness/scenario/step_json.h"

namespace watchproof {
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

std::string Dump(const OrderedJson& json) {
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

void ReadLine(const Json& line, std::optional<PlanFile>& file) {
  PlanHeader header;
  FieldList begin;
  begin("case", header.case_name);
  begin("target", header.target);
  begin("seed", header.seed);
  begin("attempt", header.attempt);
  ReadFields(line, begin.Take());
  if (line.contains("steps")) {
    if (file) throw StepError{"a second plan begins; expected one attempt"};
    Plan& plan = file.emplace(PlanFile{.header = header, .plan = {}}).plan;
    FieldList whole;
    whole("converge_us", plan.converge_limit);
    whole("members", plan.cluster.members).Optional();
    whole("snapshot_count", plan.cluster.snapshot_count).Optional();
    whole("permit_compacted_at_the_floor", plan.permit_compacted_at_the_floor).Optional();
    whole("shows", plan.shows).Optional();
    whole("looks_like", plan.looks_like).Optional();
    std::vector<Field> fields = whole.Take();
    for (Field& field : FieldsOf(plan.settings)) fields.push_back(std::move(field.Optional()));
    return ReadFields(line, std::move(fields));
  }
  if (!file) throw StepError{"a step before the line that begins a plan (with \"steps\")"};
  file->plan.steps.push_back(StepFrom(line));
}

// `read` may throw.
Status ParseLine(std::string_view text, const std::function<void(const Json&)>& read) {
  const Json line = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!line.is_object()) {
    return Fail(StatusCode::kInvalidArgument, "expected one JSON object on the line");
  }
  try {
    read(line);
  } catch (const StepError& error) {
    return Status(StatusCode::kInvalidArgument, error.why);
  } catch (const nlohmann::json::exception& error) {
    return Status(StatusCode::kInvalidArgument, Escaped(error.what()));
  }
  return {};
}

void ReadRun(const Json& json, RecordedPlan& found) {
  found.bypass_proxy = json.value("bypass_proxy", false);
  found.no_faults = json.value("no_faults", false);
  found.faults = json.value("faults", found.faults);
}

}  // namespace

std::vector<std::string> ToJsonLines(const Plan& plan, const PlanHeader& header) {
  const OrderedJson begin{{"case", header.case_name},
                          {"target", header.target},
                          {"seed", header.seed},
                          {"attempt", header.attempt}};
  std::vector<std::string> lines;
  const auto add = [&](const OrderedJson& rest) {
    OrderedJson line = begin;
    line.update(rest);
    lines.push_back(Dump(line));
  };
  OrderedJson whole{{"steps", plan.steps.size()},
                    {"converge_us", plan.converge_limit.count() / 1000}};
  if (plan.cluster.members != 1) {
    whole["members"] = plan.cluster.members;
    whole["snapshot_count"] = plan.cluster.snapshot_count;
  }
  if (plan.permit_compacted_at_the_floor) whole["permit_compacted_at_the_floor"] = true;
  if (!plan.shows.empty()) whole["shows"] = plan.shows;
  if (!plan.looks_like.empty()) whole["looks_like"] = plan.looks_like;
  if (plan.settings != explore::Server()) {
    explore::Server settings = plan.settings;
    whole.update(ToJson(FieldsOf(settings)));
  }
  add(whole);
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    OrderedJson step{{"step", i}};
    step.update(ToJson(plan.steps[i]));
    add(step);
  }
  return lines;
}

std::optional<explore::Script> ScriptOf(const Plan& plan) {
  explore::Script script{.limits = {}, .server = plan.settings};
  for (const Step& step : plan.steps) {
    auto explored = step.Explored();
    if (!explored) return std::nullopt;
    script.steps.push_back(*std::move(explored));
  }
  if (script.steps.empty() && plan.shows.empty()) return std::nullopt;
  return script;
}

std::vector<std::string> StepLines(const Plan& plan) {
  std::vector<std::string> lines;
  for (const Step& step : plan.steps) lines.push_back(Dump(ToJson(step)));
  return lines;
}

Result<Step> ParseStep(std::string_view line) {
  std::optional<Step> step;
  WP_RETURN_IF_ERROR(ParseLine(line, [&step](const Json& json) { step = StepFrom(json); }));
  return *std::move(step);
}

Result<PlanFile> ParsePlan(std::string_view lines) {
  std::optional<PlanFile> file;
  for (int number = 1; !lines.empty(); ++number) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(lines.size(), line.size() + 1));
    if (line.empty()) continue;
    Status read = ParseLine(line, [&file](const Json& json) { ReadLine(json, file); });
    if (!read.ok()) {
      return std::move(read).WithContext("line {} of the plan", number);
    }
  }
  if (!file) return Fail(StatusCode::kInvalidArgument, "there is no plan in it");
  return *std::move(file);
}

Result<PlanFile> ReadPlan(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return FromErrno(errno).WithContext("cannot read the plan {}", file.string());
  // A folder can be opened; reading it would throw.
  if (std::error_code error; std::filesystem::is_directory(file, error)) {
    return Fail(StatusCode::kInvalidArgument, "{} is a folder; expected a file with a plan",
                file.string());
  }
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  Result<PlanFile> plan = ParsePlan(text);
  if (plan.has_value()) {
    if (Status fine = CheckPlan(plan->plan); !fine.ok()) plan = tl::unexpected(std::move(fine));
  }
  if (!plan.has_value()) return std::move(plan).error().WithContext("{}", file.string());
  return plan;
}

Status WritePlan(const std::filesystem::path& file, const Plan& plan, const PlanHeader& header) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  for (const std::string& line : ToJsonLines(plan, header)) out << line << '\n';
  out.close();
  return out ? Status() : FromErrno(errno).WithContext("cannot write the plan {}", file.string());
}

Result<RecordedPlan> FindPlan(const std::filesystem::path& file, const PlanHeader& attempt) {
  std::string lines;
  RecordedPlan found;
  Status wrong;
  const auto visit = [&](std::string_view part) {
    try {
      const Json first = Json::parse(part.substr(0, part.find('\n')));
      if (first.value("kind", "") == "run") {
        ReadRun(first, found);
      } else if (first.value("case", "") == attempt.case_name &&
                 first.value("target", "") == attempt.target &&
                 first.value("attempt", 0) == attempt.attempt) {
        lines = part;  // a run that was resumed may have made it twice
      }
    } catch (const nlohmann::json::exception& error) {
      wrong = Fail(StatusCode::kInvalidArgument, "{} is no file of plans: {}", file.string(),
                   Escaped(error.what()));
    }
    return wrong.ok();
  };
  if (const auto end = VisitPacked(file, visit); !end.has_value()) return end.error();
  WP_RETURN_IF_ERROR(wrong);
  Result<PlanFile> plan = ParsePlan(lines);
  if (!plan.has_value()) {
    return std::move(plan).error().WithContext("{}, {} on {}", file.string(), attempt.case_name,
                                               attempt.target);
  }
  found.plan = std::move(plan->plan);
  return found;
}

}  // namespace watchproof
