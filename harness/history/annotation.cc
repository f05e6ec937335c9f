// SPDX-License-Identifier: Apache-2.0
#include "harness/history/annotation.h"

#include <array>
#include <utility>

#include "harness/history/json_fields.h"
namespace watchproof {
namespace {

// By alternative of the variant.
constexpr std::size_t kAlternatives = std::variant_size_v<Annotation>;
constexpr std::array<std::string_view, kAlternatives> kTypes = {
    "",
    "closing_stream",
    "resume",
    "right",
    "progress_due",
    "progress_over",
    "delivery_due",
    "delivery_over",
    "stream_end_due",
    "stream_end_over",
    "target_ended",
    "target_silent",
    "moment_missed",
    "target_refused",
};
constexpr std::array<std::string_view, 5> kStages = {"healed", "sentinels", "converged", "end",
                                                     "stopped"};

std::string_view TypeOf(const Annotation& annotation) {
  if (const auto* reached = std::get_if<StageReached>(&annotation)) {
    return kStages[static_cast<std::size_t>(reached->stage)];
  }
  return kTypes[annotation.index()];
}

// The alternative of that type, with its fields at their defaults.
template <std::size_t... I>
std::optional<Annotation> Empty(std::string_view type, std::index_sequence<I...>) {
  std::optional<Annotation> found;
  ((kTypes[I] == type && (found.emplace(std::in_place_index<I>), true)) || ...);
  return found;
}

std::optional<Annotation> Empty(std::string_view type) {
  for (std::size_t i = 0; i < kStages.size(); ++i) {
    if (kStages[i] == type) return StageReached{static_cast<Stage>(i)};
  }
  if (type.empty()) return std::nullopt;
  return Empty(type, std::make_index_sequence<std::variant_size_v<Annotation>>());
}

Status Unreadable(std::string_view text, std::string_view why) {
  return Fail(StatusCode::kInvalidArgument, "the annotation '{}' cannot be read: {}", text, why);
}

}  // namespace

std::string ToText(const Annotation& annotation) {
  nlohmann::ordered_json json{{"type", TypeOf(annotation)}};
  FieldWriter writer(json);
  std::visit(
      [&writer](auto value) {
        if constexpr (requires { value.Fields(writer); }) value.Fields(writer);
      },
      annotation);
  // A group or the last words of a process may be any bytes.
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Result<Annotation> ParseAnnotation(std::string_view text) {
  const auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  const auto type = json.is_object() ? json.find("type") : json.end();
  if (type == json.end() || !type->is_string()) {
    return Unreadable(text, R"(expected one object with a "type")");
  }
  std::optional<Annotation> annotation = Empty(type->get_ref<const std::string&>());
  if (!annotation) return Unreadable(text, "its type is not known");
  FieldReader reader(json);
  std::visit(
      [&reader](auto& value) {
        if constexpr (requires { value.Fields(reader); }) value.Fields(reader);
      },
      *annotation);
  if (reader.wrong()) return Unreadable(text, "field " + *reader.wrong() + " does not fit");
  return *std::move(annotation);
}

Entry AnnotationEntry(const Annotation& annotation) {
  return {.kind = EntryKind::kAnnotation, .text = ToText(annotation)};
}

bool IsStage(const Entry& entry, Stage stage) {
  return entry.kind == EntryKind::kAnnotation && entry.text == ToText(StageReached{stage});
}

}  // namespace watchproof
