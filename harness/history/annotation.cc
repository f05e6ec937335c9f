// SPDX-License-Identifier: Apache-2.0
#include "harness/history/annotation.h"

#include <array>
#include <utility>

#include "harness/history/json_fields.h"
namespace watchproof {
namespace {

constexpr std::array<std::string_view, 6> kStages = {"healed",    "sentinels", "questions",
                                                     "converged", "end",       "stopped"};

std::string_view TypeOf(const StageReached& reached) {
  return kStages[static_cast<std::size_t>(reached.stage)];
}
template <typename T>
std::string_view TypeOf(const T&) {
  return T::kType;
}

// A report of a consumer has a field named "type", and so has every annotation: that of the report
// is written as "change".
template <typename Fields>
struct InAnnotation {
  Fields& fields;
  template <typename T>
  void operator()(const char* name, T& value) {
    fields(name == std::string_view("type") ? "change" : name, value);
  }
  template <typename T>
  void IfAny(const char* name, std::vector<T>& value) {
    fields.IfAny(name, value);
  }
};

// Sets `found` to a T, with its fields at their defaults, if that is the type.
template <typename T>
void MakeIf(std::string_view type, std::optional<Annotation>& found) {
  if constexpr (requires { T::kType; }) {
    if (T::kType == type) found = T();
  }
}
template <typename... T>
std::optional<Annotation> Empty(std::string_view type, const std::variant<T...>*) {
  std::optional<Annotation> found;
  for (std::size_t i = 0; i < kStages.size(); ++i) {
    if (kStages[i] == type) found = StageReached{static_cast<Stage>(i)};
  }
  (MakeIf<T>(type, found), ...);
  return found;
}

Status Unreadable(std::string_view text, std::string_view why) {
  return Fail(StatusCode::kInvalidArgument, "the annotation '{}' cannot be read: {}", text, why);
}

FaultLine::Ends EndsOf(const nlohmann::json& json) {
  const auto ends = json.find("ends_streams");
  if (ends == json.end()) return FaultLine::Ends::kUnsaid;
  if (*ends == "every") return FaultLine::Ends::kEvery;
  return *ends == "proxied" ? FaultLine::Ends::kProxied : FaultLine::Ends::kNone;
}

}  // namespace

std::string ToText(const Annotation& annotation) {
  Json json;
  FieldWriter all(json);
  InAnnotation<FieldWriter> writer{all};
  std::visit(
      [&](auto value) {
        json["type"] = TypeOf(value);
        if constexpr (requires { value.Fields(writer); }) value.Fields(writer);
      },
      annotation);
  // A group or the last words of a process may be any bytes.
  return DumpJson(json);
}

Result<Annotation> ParseAnnotation(std::string_view text) {
  const auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  const auto type = json.is_object() ? json.find("type") : json.end();
  if (type == json.end() || !type->is_string()) {
    return Unreadable(text, R"(expected one object with a "type")");
  }
  std::optional<Annotation> annotation =
      Empty(type->get_ref<const std::string&>(), static_cast<const Annotation*>(nullptr));
  if (!annotation) return Unreadable(text, "its type is not known");
  FieldReader all(json);
  InAnnotation<FieldReader> reader{all};
  std::visit(
      [&reader](auto& value) {
        if constexpr (requires { value.Fields(reader); }) value.Fields(reader);
      },
      *annotation);
  if (all.wrong()) return Unreadable(text, "field " + *all.wrong() + " does not fit");
  return *std::move(annotation);
}

Entry AnnotationEntry(const Annotation& annotation) {
  return {.kind = EntryKind::kAnnotation, .text = ToText(annotation)};
}

bool IsStage(const Entry& entry, Stage stage) {
  return entry.kind == EntryKind::kAnnotation && entry.text == ToText(StageReached{stage});
}

std::string ToText(const FaultReported& line) {
  nlohmann::ordered_json text{{"fault", line.fault},
                              {"phase", line.phase},
                              {"fired", line.fired},
                              {"measured", line.measured},
                              {"ends_streams", line.ends_streams}};
  if (line.parts_members) text["parts_members"] = true;
  return text.dump();
}

Result<FaultLine> ParseFaultLine(std::string_view text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  const auto fault = json.is_object() ? json.find("fault") : json.end();
  const auto phase = json.is_object() ? json.find("phase") : json.end();
  if (fault == json.end() || !fault->is_string() || phase == json.end() || !phase->is_string()) {
    return Fail(StatusCode::kInvalidArgument, "'{}' does not describe a fault", text);
  }
  return FaultLine{.fault = fault->get<std::string>(),
                   .healed = phase->get<std::string>() == "healed",
                   .ends_streams = EndsOf(json),
                   .parts_members = json.find("parts_members") != json.end()};
}

}  // namespace watchproof
