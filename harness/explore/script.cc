// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/script.h"

#include <array>
#include <charconv>
#include <optional>

#include "harness/history/json_fields.h"

namespace watchproof::explore {
namespace {

using Json = nlohmann::ordered_json;

constexpr char kName[] = "step";    // of a step's line
constexpr char kCount[] = "steps";  // of the first line: how many follow
constexpr std::array<const char*, 7> kLoops = {"commit", "sync",  "victims",   "progress",
                                               "expire", "erase", "checkpoint"};
constexpr std::array<const char*, 3> kParts = {"put", "delete", "get"};
constexpr std::array<const char*, 5> kTargets = {"version", "create", "mod", "value", "lease"};
constexpr std::array<const char*, 4> kResults = {"=", ">", "<", "!="};

std::optional<std::int64_t> ReadNumber(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

std::vector<std::string> Words(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (c == ' ') {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

// The visitors of json_fields.h, with a place for text that its own parser refused.
class StepWriter : public FieldWriter {
 public:
  explicit StepWriter(Json& out) : FieldWriter(out), out_(out) {}
  using FieldWriter::operator();
  void operator()(const char* name, const std::vector<Txn>& nested);
  void Refuse(const char*) {}

 private:
  Json& out_;
};
class StepReader : public FieldReader {
 public:
  explicit StepReader(const nlohmann::json& in) : FieldReader(in), in_(in) {}
  using FieldReader::operator();
  void operator()(const char* name, std::vector<Txn>& nested);
  void Refuse(const char* name) { refused_ = name; }
  std::optional<std::string> problem() const { return wrong() ? wrong() : refused_; }

 private:
  const nlohmann::json& in_;
  std::optional<std::string> refused_;
};

template <typename T>
Json Write(T value) {
  Json json = Json::object();
  StepWriter writer(json);
  value.Fields(writer);
  return json;
}

// `beside`: a field of the object that is not the value's.
template <typename T>
Status Read(const nlohmann::json& json, const char* beside, T& value) {
  StepReader reader(json);
  value.Fields(reader);
  if (reader.problem()) {
    return Fail(StatusCode::kInvalidArgument, "the field {} does not fit", *reader.problem());
  }
  const Json known = Write(value);
  for (const auto& [name, unused] : json.items()) {
    if (name != beside && !known.contains(name)) {
      return Fail(StatusCode::kInvalidArgument, "there is no field {}", name);
    }
  }
  return Status();
}

void StepWriter::operator()(const char* name, const std::vector<Txn>& nested) {
  Json& list = out_[name] = Json::array();
  for (const Txn& one : nested) list.push_back(Write(one));
}

void StepReader::operator()(const char* name, std::vector<Txn>& nested) {
  const auto list = in_.find(name);
  if (list == in_.end()) return;
  if (!list->is_array()) return Refuse(name);
  for (const nlohmann::json& one : *list) {
    if (!one.is_object() || !Read(one, "", nested.emplace_back()).ok()) return Refuse(name);
  }
}

Json ToJson(const Step& step) {
  return std::visit(
      [](const auto& one) {
        Json json = {{kName, one.kName}};
        json.update(Write(one));
        return json;
      },
      step);
}

template <std::size_t kIndex = 0>
Result<Step> ReadStep(const std::string& name, const nlohmann::json& json) {
  if constexpr (kIndex == std::variant_size_v<Step>) {
    return Fail(StatusCode::kInvalidArgument, "there is no step {}", name);
  } else {
    using One = std::variant_alternative_t<kIndex, Step>;
    if (name != One::kName) return ReadStep<kIndex + 1>(name, json);
    One one;
    WP_RETURN_IF_ERROR(Read(json, kName, one));
    return Step(std::move(one));
  }
}

// The fields that have not their default, each as " name=value".
template <typename T>
std::string Differences(const T& one) {
  const Json shown = Write(one);
  const Json usual = Write(T());
  std::string text;
  for (const auto& [name, value] : shown.items()) {
    const bool words = value.is_string();
    if (value == usual[name] && name != "stream") continue;
    if (words && value.template get<std::string>().empty()) continue;
    text += fmt::format(" {}={}", name, words ? value.template get<std::string>() : value.dump());
  }
  return text;
}

// Values that would make a run endless, or are outside of what it can index.
Status Check(const Step& step) {
  return std::visit(
      [](const auto& one) {
        if constexpr (requires { one.stream; }) {
          if (one.stream < 1 || one.stream > kMostStreams) {
            return Fail(StatusCode::kInvalidArgument, "a stream is 1 to {}", kMostStreams);
          }
        }
        if constexpr (requires { one.times; }) {
          if (one.times < 1 || one.times > kMostTimes) {
            return Fail(StatusCode::kInvalidArgument, "times is 1 to {}", kMostTimes);
          }
        }
        if constexpr (requires { one.sort_by; }) {
          if (one.sort_by < 0 || one.sort_by > 4) {
            return Fail(StatusCode::kInvalidArgument, "sort_by is 0 to 4");
          }
        }
        return Status();
      },
      step);
}

Status CheckLimits(const Limits& limits) {
  for (const std::int64_t limit :
       {limits.queued_replies, limits.control_replies, limits.watchers_per_step,
        limits.revisions_per_batch, limits.reply_bytes, limits.part_bytes, limits.progress_ms}) {
    if (limit < 1) return Fail(StatusCode::kInvalidArgument, "each limit is at least 1");
  }
  return Status();
}

Result<nlohmann::json> ParseObject(std::string_view line) {
  nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
  if (json.is_object()) return json;
  return Fail(StatusCode::kInvalidArgument, "it is no JSON object");
}

// The limits, and how many steps follow, if the line says so.
Status ReadFirstLine(std::string_view line, Limits& limits, std::optional<std::size_t>& count) {
  WP_ASSIGN_OR_RETURN(const nlohmann::json json, ParseObject(line));
  WP_RETURN_IF_ERROR(Read(json, kCount, limits));
  WP_RETURN_IF_ERROR(CheckLimits(limits));
  const auto steps = json.find(kCount);
  if (steps == json.end()) return Status();
  if (!steps->is_number_unsigned()) {
    return Fail(StatusCode::kInvalidArgument, "the field {} does not fit", kCount);
  }
  count = steps->get<std::size_t>();
  return Status();
}

Status AddStep(std::string_view line, Script& script) {
  WP_ASSIGN_OR_RETURN(const nlohmann::json json, ParseObject(line));
  const auto name = json.find(kName);
  if (name == json.end() || !name->is_string()) {
    return Fail(StatusCode::kInvalidArgument, "it names no step");
  }
  WP_ASSIGN_OR_RETURN(Step step, ReadStep(name->get<std::string>(), json));
  WP_RETURN_IF_ERROR(Check(step));
  script.steps.push_back(std::move(step));
  return Status();
}

}  // namespace

std::string ToText(const Place& place) {
  if (place.from == Place::From::kNumber) {
    return place.plus == 0 ? "now" : fmt::format("{}", place.plus);
  }
  const char* const name = place.from == Place::From::kHead ? "head" : "floor";
  return place.plus == 0 ? name : fmt::format("{}{:+}", name, place.plus);
}

Result<Place> ParsePlace(std::string_view text) {
  const std::string_view whole = text;
  Place place;
  if (text.starts_with("head")) {
    place.from = Place::From::kHead;
    text.remove_prefix(4);
  } else if (text.starts_with("floor")) {
    place.from = Place::From::kFloor;
    text.remove_prefix(5);
  } else if (text == "now") {
    return place;
  }
  if (text.empty() && place.from != Place::From::kNumber) return place;
  const auto number = ReadNumber(text);
  if (!number) return Fail(StatusCode::kInvalidArgument, "'{}' names no revision", whole);
  place.plus = *number;
  return place;
}

std::string ToText(const TxnPart& part) {
  std::string text = fmt::format("{} {}", kParts[static_cast<std::size_t>(part.kind)], part.key);
  if (!part.end.empty()) text += " " + part.end;
  if (part.lease != 0) text += fmt::format(" lease {}", part.lease);
  return text;
}

Result<TxnPart> ParsePart(std::string_view text) {
  const std::vector<std::string> words = Words(text);
  const auto kind = std::find(kParts.begin(), kParts.end(), words[0]);
  const auto wrong = [&] {
    return Fail(StatusCode::kInvalidArgument, "'{}' is no operation of a transaction", text);
  };
  if (kind == kParts.end() || words.size() < 2) return wrong();
  TxnPart part{.kind = static_cast<TxnPart::Kind>(kind - kParts.begin()), .key = words[1]};
  if (words.size() == 3 && part.kind != TxnPart::Kind::kPut) {
    part.end = words[2];
  } else if (words.size() == 4 && part.kind == TxnPart::Kind::kPut && words[2] == "lease") {
    const auto lease = ReadNumber(words[3]);
    if (!lease) return wrong();
    part.lease = *lease;
  } else if (words.size() != 2) {
    return wrong();
  }
  return part;
}

std::string ToText(const Condition& condition) {
  return fmt::format("{} {}{}{} {} {}", kTargets[static_cast<std::size_t>(condition.target)],
                     condition.key, condition.end.empty() ? "" : " ", condition.end,
                     kResults[static_cast<std::size_t>(condition.relation)], condition.value);
}

Result<Condition> ParseCondition(std::string_view text) {
  const std::vector<std::string> words = Words(text);
  const auto target = std::find(kTargets.begin(), kTargets.end(), words[0]);
  const bool ranged = words.size() == 5;
  if (target != kTargets.end() && (words.size() == 4 || ranged)) {
    const auto result = std::find(kResults.begin(), kResults.end(), words[words.size() - 2]);
    const bool value = *target == kTargets[3] || ReadNumber(words.back()).has_value();
    if (result != kResults.end() && value) {
      return Condition{.target = static_cast<Condition::Target>(target - kTargets.begin()),
                       .key = words[1],
                       .end = ranged ? words[2] : std::string(),
                       .relation = static_cast<Condition::Relation>(result - kResults.begin()),
                       .value = words.back()};
    }
  }
  return Fail(StatusCode::kInvalidArgument, "'{}' is no comparison", text);
}

std::string ToText(Loop loop) { return kLoops[static_cast<std::size_t>(loop)]; }

Result<Loop> ParseLoop(std::string_view text) {
  const auto found = std::find(kLoops.begin(), kLoops.end(), text);
  if (found == kLoops.end()) {
    return Fail(StatusCode::kInvalidArgument, "there is no loop '{}'", text);
  }
  return static_cast<Loop>(found - kLoops.begin());
}

std::string Describe(const Step& step) {
  return std::visit([](const auto& one) { return one.kName + Differences(one); }, step);
}

std::string DescribeLimits(const Limits& limits) {
  const std::string differences = Differences(limits);
  return differences.empty() ? "usual limits" : "limits" + differences;
}

std::string ToText(const Script& script) {
  Json first = Write(script.limits);
  first[kCount] = script.steps.size();
  std::string text = first.dump() + "\n";
  for (const Step& step : script.steps) text += ToJson(step).dump() + "\n";
  return text;
}

Result<Script> ParseScript(std::string_view text) {
  Script script;
  std::optional<std::size_t> count;
  std::size_t line = 1;
  do {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view one = text.substr(0, end);
    Status status = line == 1 ? ReadFirstLine(one, script.limits, count) : AddStep(one, script);
    if (!status.ok()) return std::move(status).WithContext("line {}", line);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++line;
  } while (!text.empty());
  if (count && *count != script.steps.size()) {
    return Fail(StatusCode::kInvalidArgument, "line 1 announces {} steps, and there are {}", *count,
                script.steps.size());
  }
  return script;
}

}  // namespace watchproof::explore
