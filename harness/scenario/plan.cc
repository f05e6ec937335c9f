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
#include "harness/script/in_words.h"

namespace watchproof {
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

std::string Dump(const OrderedJson& json) {
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

std::vector<Field> FieldsOf(PlanHeader& header) {
  FieldList begin;
  begin("case", header.case_name);
  begin("target", header.target);
  begin("seed", header.seed);
  begin("attempt", header.attempt);
  return begin.Take();
}

// What the first line says of the whole plan, but for the steps and the time to converge.
std::vector<Field> FieldsOf(Plan& plan) {
  FieldList whole;
  whole("members", plan.cluster.members).Optional();
  Field& snapshots = whole("snapshot_count", plan.cluster.snapshot_count);
  snapshots.optional = plan.cluster.members == 1;
  whole("compare_at_start", plan.cluster.compare_at_start).Optional();
  whole("compaction_batch", plan.cluster.compaction_batch).Optional();
  whole("catch_up_entries", plan.cluster.catch_up_entries).Optional();
  whole("lease_checkpoints", plan.cluster.lease_checkpoints).Optional();
  whole("backend_batch", plan.cluster.backend_batch).Optional();
  whole("backend_ms", plan.cluster.backend_ms).Optional();
  whole("election_ms", plan.cluster.election_ms).Optional();
  whole("quota_mib", plan.cluster.quota_mib).Optional();
  whole("token_seconds", plan.cluster.token_seconds).Optional();
  whole("signed_tokens", plan.cluster.signed_tokens).Optional();
  whole("certificates", plan.cluster.certificates).Optional();
  whole("self_checks", plan.cluster.self_checks).Optional();
  whole("permit_compacted_at_the_floor", plan.permit_compacted_at_the_floor).Optional();
  whole("shows", plan.shows).Optional();
  whole("looks_like", plan.looks_like).Optional();
  const auto optional = [&whole](std::string_view name, auto& value) {
    whole(name, value).Optional();
  };
  plan.limits.Fields(optional);
  plan.settings.Fields(optional);
  return whole.Take();
}

void Append(std::vector<Field> from, std::vector<Field>& to) {
  std::ranges::move(from, std::back_inserter(to));
}

// A plan while it is read.
struct Reading {
  std::optional<PlanFile> file;
  std::size_t steps = 0;  // that the first line announces
};

// As exploration wrote it before its scripts were plans: no case, and steps without "explored".
bool IsOfOldForm(const Json& line, const char* field) { return !line.contains(field); }

void ReadFirstLine(const Json& line, Reading& reading) {
  PlanFile& file = reading.file.emplace(
      PlanFile{.header = {.case_name = std::string(kKeptScript), .seed = "0"}});
  std::vector<Field> fields = FieldsOf(file.plan);
  if (!IsOfOldForm(line, "case")) {
    FieldList time;
    time("converge_us", file.plan.converge_limit);
    Append(time.Take(), fields);
    Append(FieldsOf(file.header), fields);
  }
  ReadFields(line, std::move(fields), {"steps"});
  reading.steps = line.at("steps").get<std::size_t>();
}

void ReadLine(Json line, Reading& reading) {
  if (!reading.file) {
    if (!line.contains("steps")) {
      throw StepError{"a step before the line that begins a plan (with \"steps\")"};
    }
    return ReadFirstLine(line, reading);
  }
  if (line.contains("steps")) throw StepError{"a second plan begins; expected one attempt"};
  if (IsOfOldForm(line, "op")) line["op"] = "explored " + line.at("step").get<std::string>();
  reading.file->plan.steps.push_back(
      StepFrom(line, {}, {"step", "case", "target", "seed", "attempt"}));
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

// " key=k/5 prev_kv=true"; fields of fields stand beside the others.
std::string TextOf(const OrderedJson& fields) {
  std::string text;
  for (const auto& [name, value] : fields.items()) {
    if (name == "op" || name.ends_with("seed")) continue;
    if (value.is_object()) {
      text += TextOf(value);
    } else {
      text +=
          fmt::format(" {}={}", name, value.is_string() ? value.get<std::string>() : Dump(value));
    }
  }
  return text;
}

std::string TextOf(const Step& step) {
  return Escaped(std::string(step.op()) + TextOf(ToJson(step)));
}

// What is said of the whole plan.
OrderedJson FirstLine(Plan plan, PlanHeader header) {
  Plan usual;
  OrderedJson line = ToJson(FieldsOf(header), {});
  line["steps"] = plan.steps.size();
  line["converge_us"] = plan.converge_limit.count() / 1000;
  line.update(ToJson(FieldsOf(plan), FieldsOf(usual)));
  return line;
}

}  // namespace

std::vector<std::string> ToJsonLines(const Plan& plan, const PlanHeader& header) {
  std::vector<std::string> lines = {Dump(FirstLine(plan, header))};
  PlanHeader begin = header;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    OrderedJson line = ToJson(FieldsOf(begin), {});
    line["step"] = i;
    line.update(ToJson(plan.steps[i]));
    lines.push_back(Dump(line));
  }
  return lines;
}

std::string ToText(const PlanFile& file) {
  std::string text = Dump(FirstLine(file.plan, file.header)) + "\n";
  for (const std::string& line : StepLines(file.plan)) text += line + "\n";
  return text;
}

std::optional<explore::Script> ScriptOf(const Plan& plan) {
  explore::Script script{.limits = plan.limits, .server = plan.settings};
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

std::vector<std::string> StepTexts(const Plan& plan) {
  std::vector<std::string> texts;
  for (const Step& step : plan.steps) {
    const auto explored = step.Explored();
    texts.push_back(explored ? explore::InWords(*explored) : TextOf(step));
  }
  return texts;
}

Result<Step> ParseStep(std::string_view line) {
  std::optional<Step> step;
  WP_RETURN_IF_ERROR(ParseLine(line, [&step](const Json& json) { step = StepFrom(json); }));
  return *std::move(step);
}

Result<PlanFile> ParsePlan(std::string_view lines) {
  Reading reading;
  for (int number = 1; !lines.empty(); ++number) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(lines.size(), line.size() + 1));
    if (line.empty()) continue;
    Status read = ParseLine(line, [&reading](const Json& json) { ReadLine(json, reading); });
    if (!read.ok()) {
      return std::move(read).WithContext("line {} of the plan", number);
    }
  }
  if (!reading.file) return Fail(StatusCode::kInvalidArgument, "there is no plan in it");
  if (const std::size_t steps = reading.file->plan.steps.size(); steps != reading.steps) {
    return Fail(StatusCode::kInvalidArgument,
                "line 1 of the plan announces {} steps, and there are {}", reading.steps, steps);
  }
  return *std::move(reading.file);
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
  out << ToText({header, plan});
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
