// SPDX-License-Identifier: Apache-2.0
// Parsing, the reverse of plan.cc, and files.
#include <charconv>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "harness/base/escape.h"
#include "harness/driver/plan.h"
#include "harness/driver/plan_check.h"

namespace watchproof {
namespace {

using Json = nlohmann::json;

// Thrown while one line is parsed, like the library's exceptions; caught in ParseLine.
struct ParseError {
  std::string why;
};

std::int64_t ToNumber(std::string_view text, std::string_view whole) {
  std::int64_t number = 0;
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) {
    throw ParseError{
        fmt::format("'{}' is no revision; expected now, head, head-3, write 5 or a number", whole)};
  }
  return number;
}

RevisionRef ToRevision(const std::string& text) {
  const std::string_view view = text;
  constexpr std::string_view kHead = "head";
  constexpr std::string_view kWrite = "write ";
  if (view == "now") return FromNow();
  if (view == kHead) return AtHead();
  if (view.starts_with(kHead)) return AtHead(ToNumber(view.substr(kHead.size()), view));
  if (view.starts_with(kWrite)) return OfWrite(ToNumber(view.substr(kWrite.size()), view));
  return AtRevision(ToNumber(view, view));
}

WhenStep::Moment ToMoment(const std::string& word) {
  using enum WhenStep::Moment;
  for (const WhenStep::Moment moment : {kResponse, kBytes, kRevision, kProgress, kCalls}) {
    if (Name(moment) == word) return moment;
  }
  throw ParseError{fmt::format("there is no moment '{}'", Escaped(word))};
}

// The parameter of Fields that reads a step, or another part of a line.
class FieldsFrom {
 public:
  explicit FieldsFrom(const Json& json) : json_(json) {}

  // A step of one of the kinds, named by its "op".
  template <typename... Kinds>
  static void Take(const Json& json, const char*, std::variant<Kinds...>& step) {
    const auto op = json.at("op").get<std::string>();
    const FieldsFrom fields(json);
    const auto is = [&]<typename Kind>(Kind* /*kind*/) {
      if (op != Kind::kOp) return false;
      step.template emplace<Kind>().Fields(fields);
      return true;
    };
    if (!(is(static_cast<Kinds*>(nullptr)) || ...)) {
      throw ParseError{fmt::format("there is no step '{}'", Escaped(op))};
    }
  }

  template <typename T>
  void operator()(const char* name, T& value) const {
    Take(json_.at(name), name, value);
  }
  template <typename T>
  void Optional(const char* name, T& value, const T& missing = {}) const {
    value = missing;
    if (json_.contains(name)) (*this)(name, value);
  }

 private:
  template <typename T>
  static void Take(const Json& json, const char*, T& value) {
    value = json.get<T>();
  }
  template <typename T>
  requires requires(T fields, const FieldsFrom& from) { fields.Fields(from); }
  static void Take(const Json& json, const char*, T& value) {
    const FieldsFrom fields(json);
    value.Fields(fields);
  }
  template <typename T>
  static void Take(const Json& json, const char* name, std::vector<T>& values) {
    for (const Json& one : json) Take(one, name, values.emplace_back());
  }
  // The library would truncate it silently.
  static void Take(const Json& json, const char* name, int& value) {
    const auto number = json.get<std::int64_t>();
    if (!std::in_range<int>(number)) {
      throw ParseError{fmt::format("{}: {} is too large a number", name, number)};
    }
    value = static_cast<int>(number);
  }
  static void Take(const Json& json, const char*, RevisionRef& at) {
    at = ToRevision(json.get<std::string>());
  }
  // A value that overflows the unit is rejected here; CheckPlan rejects what makes no sense.
  static void Take(const Json& json, const char*, Duration& time) {
    const auto count = json.get<std::int64_t>();
    constexpr auto kMost = std::chrono::duration_cast<std::chrono::microseconds>(Duration::max());
    if (count > kMost.count() || count < -kMost.count()) {
      throw ParseError{fmt::format("{} us is not a valid time", count)};
    }
    time = std::chrono::microseconds(count);
  }
  static void Take(const Json& json, const char*, std::chrono::seconds& time) {
    time = std::chrono::seconds(json.get<std::int64_t>());
  }
  static void Take(const Json& json, const char*, WhenStep::Moment& moment) {
    moment = ToMoment(json.get<std::string>());
  }
  static void Take(const Json& json, const char*, MustReportProgressStep::When& when) {
    using When = MustReportProgressStep::When;
    when = json.get<bool>() ? When::kAsked : When::kUnasked;
  }

  const Json& json_;
};

void TakeLine(const Json& line, std::optional<PlanFile>& file) {
  const FieldsFrom fields(line);
  PlanHeader header;
  fields("case", header.case_name);
  fields("target", header.target);
  fields("seed", header.seed);
  fields("attempt", header.attempt);
  if (line.contains("steps")) {
    if (file) throw ParseError{"a second plan begins; expected one attempt"};
    Plan& plan = file.emplace(PlanFile{.header = header, .plan = {}}).plan;
    fields("converge_us", plan.converge_limit);
    fields.Optional("members", plan.cluster.members, 1);
    fields.Optional("snapshot_count", plan.cluster.snapshot_count);
    fields.Optional("permit_compacted_at_the_floor", plan.permit_compacted_at_the_floor);
    return;
  }
  if (!file) throw ParseError{"a step before the line that begins a plan (with \"steps\")"};
  FieldsFrom::Take(line, "step", file->plan.steps.emplace_back());
}

Status ParseLine(std::string_view text, std::optional<PlanFile>& file) {
  const Json line = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!line.is_object()) {
    return Fail(StatusCode::kInvalidArgument, "expected one JSON object on the line");
  }
  try {
    TakeLine(line, file);
  } catch (const ParseError& parse_error) {
    return Status(StatusCode::kInvalidArgument, parse_error.why);
  } catch (const nlohmann::json::exception& error) {
    return Status(StatusCode::kInvalidArgument, Escaped(error.what()));
  }
  return {};
}

void TakeRun(const Json& json, RecordedPlan& found) {
  found.bypass_proxy = json.value("bypass_proxy", false);
  found.no_faults = json.value("no_faults", false);
  found.faults = json.value("faults", found.faults);
}

}  // namespace

Result<PlanFile> ParsePlan(std::string_view lines) {
  std::optional<PlanFile> file;
  for (int number = 1; !lines.empty(); ++number) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(lines.size(), line.size() + 1));
    if (line.empty()) continue;
    if (Status taken = ParseLine(line, file); !taken.ok()) {
      return std::move(taken).WithContext("line {} of the plan", number);
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
  std::ifstream in(file, std::ios::binary);
  if (!in) return FromErrno(errno).WithContext("cannot read the plans {}", file.string());
  std::string lines;
  RecordedPlan found;
  for (std::string line; std::getline(in, line);) {
    const Json json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!json.is_object()) continue;  // a run that was killed may leave half a line
    try {
      if (json.value("kind", "") == "run") {
        TakeRun(json, found);
      } else if (json.value("case", "") == attempt.case_name &&
                 json.value("target", "") == attempt.target &&
                 json.value("attempt", 0) == attempt.attempt) {
        lines += line + '\n';
      }
    } catch (const nlohmann::json::exception& error) {
      return Fail(StatusCode::kInvalidArgument, "{} is no file of plans: {}", file.string(),
                  Escaped(error.what()));
    }
  }
  Result<PlanFile> plan = ParsePlan(lines);
  if (!plan.has_value()) {
    return std::move(plan).error().WithContext("{}, {} on {}", file.string(), attempt.case_name,
                                               attempt.target);
  }
  found.plan = std::move(plan->plan);
  return found;
}

}  // namespace watchproof
