// SPDX-License-Identifier: Apache-2.0
#include "harness/driver/plan.h"

#include <nlohmann/json.hpp>

#include "harness/base/prng.h"

namespace watchproof {
namespace {

// Keys keep the order in which they are written: the file is read by people.
using Json = nlohmann::ordered_json;

// The parameter of Fields that writes a step.
class StepWriter {
 public:
  explicit StepWriter(Json& out) : out_(out) {}

  template <typename T>
  void operator()(const char* name, const T& value) {
    out_[name] = ToJson(value);
  }
  template <typename T>
  void Optional(const char* name, const T& value, const T& missing = {}) {
    if (value != missing) (*this)(name, value);
  }

  template <typename T>
  static Json ToJson(const T& value) {
    return value;
  }
  template <typename T>
  requires requires(T fields, StepWriter& writer) { fields.Fields(writer); }
  static Json ToJson(const T& value) {
    Json json = Json::object();
    if constexpr (requires { T::kOp; }) json["op"] = T::kOp;
    StepWriter writer(json);
    T(value).Fields(writer);
    return json;
  }
  template <typename T>
  static Json ToJson(const std::vector<T>& values) {
    Json json = Json::array();
    for (const T& value : values) json.push_back(ToJson(value));
    return json;
  }
  template <typename... Kinds>
  static Json ToJson(const std::variant<Kinds...>& value) {
    return std::visit([](const auto& kind) { return ToJson(kind); }, value);
  }
  static Json ToJson(const RevisionRef& at) { return at.ToString(); }
  static Json ToJson(Duration time) { return time.count() / 1000; }
  static Json ToJson(std::chrono::seconds time) { return time.count(); }
  static Json ToJson(WhenStep::Moment moment) { return Name(moment); }
  static Json ToJson(MustReportProgressStep::When when) {
    return when == MustReportProgressStep::When::kAsked;
  }

 private:
  Json& out_;
};

std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// How long a step waits without waiting for a fact.
struct WaitOf {
  Duration operator()(const HoldStep& step) const { return step.duration; }
  Duration operator()(const MustEndStep& step) const { return step.limit; }
  Duration operator()(const MustDeliverStep& step) const { return step.limit; }
  Duration operator()(const MustReportProgressStep& step) const { return step.limit; }
  template <typename Other>
  Duration operator()(const Other&) const {
    return {};
  }
};

}  // namespace

std::string RevisionRef::ToString() const {
  switch (base) {
    case Base::kAbsolute:
      return number == 0 ? "now" : fmt::format("{}", number);
    case Base::kHead:
      return number == 0 ? "head" : fmt::format("head{:+}", number);
    case Base::kWrite:
      return fmt::format("write {}", number);
  }
  return "?";
}

std::string_view Name(WhenStep::Moment moment) {
  using enum WhenStep::Moment;
  switch (moment) {
    case kResponse:
      return "response";
    case kBytes:
      return "bytes";
    case kRevision:
      return "revision";
    case kProgress:
      return "progress";
    case kCalls:
      return "calls";
  }
  return "?";
}

std::string ValueRef::Make() const { return Prng(seed).Word(bytes); }

std::vector<std::string> ToJsonLines(const Plan& plan, const PlanHeader& header) {
  const Json begin{{"case", header.case_name},
                   {"target", header.target},
                   {"seed", header.seed},
                   {"attempt", header.attempt}};
  std::vector<std::string> lines;
  const auto add = [&](Json rest) {
    Json line = begin;
    line.update(rest);
    lines.push_back(Dump(line));
  };
  Json whole{{"steps", plan.steps.size()}, {"converge_us", plan.converge_limit.count() / 1000}};
  if (plan.cluster.members != 1) {
    whole["members"] = plan.cluster.members;
    whole["snapshot_count"] = plan.cluster.snapshot_count;
  }
  if (plan.permit_compacted_at_the_floor) whole["permit_compacted_at_the_floor"] = true;
  add(std::move(whole));
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    Json step{{"step", i}};
    step.update(StepWriter::ToJson(plan.steps[i]));
    add(std::move(step));
  }
  return lines;
}

std::vector<std::string> StepLines(const Plan& plan) {
  std::vector<std::string> lines;
  for (const Step& step : plan.steps) lines.push_back(Dump(StepWriter::ToJson(step)));
  return lines;
}

Status CheckWaits(const Plan& plan, Duration time_for_steps) {
  Duration sum{};
  for (const Step& step : plan.steps) sum += std::visit(WaitOf(), step);
  if (sum <= time_for_steps) return {};
  const auto seconds = [](Duration d) { return std::chrono::duration<double>(d).count(); };
  return Fail(StatusCode::kInvalidArgument,
              "the waits of the plan add up to {:.1f} s; expected at most {:.1f} s, which the time "
              "limit of the case leaves to its steps",
              seconds(sum), seconds(time_for_steps));
}

}  // namespace watchproof
