// SPDX-License-Identifier: Apache-2.0
#include "harness/script/script.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "harness/base/parse.h"
#include "harness/history/json_fields.h"

namespace watchproof::explore {

using watchproof::to_json;  // where the library looks for that of a step

// What has a text of its own is that text in JSON.
template <typename T>
concept Worded = requires(T& value, std::string_view text) {
  ToText(value);
  FromText(text, value);
};
template <Worded T>
void to_json(Json& json, const T& value) {
  json = ToText(value);
}
template <Worded T>
void from_json(const nlohmann::json& json, T& value) {
  if (FromText(json.get_ref<const std::string&>(), value)) return;
  throw nlohmann::json::other_error::create(501, "a text of another form", &json);
}

// Not among what is private to this file, where the library would not look for its to_json.
struct FirstLine {
  Limits limits{};
  Server server{};
  void Fields(auto& field) {
    limits.Fields(field);
    server.Fields(field);
  }
};

namespace {

constexpr char kName[] = "step";    // of a step's line
constexpr char kCount[] = "steps";  // of the first line: how many follow
constexpr std::array<const char*, 7> kLoops = {"commit", "sync",  "victims",   "progress",
                                               "expire", "erase", "checkpoint"};
constexpr std::array<const char*, 3> kParts = {"put", "delete", "get"};
constexpr std::array<const char*, 5> kTargets = {"version", "create", "mod", "value", "lease"};
constexpr std::array<const char*, 4> kResults = {"=", ">", "<", "!="};

// The number of a text among the names of an enumeration.
template <typename Enum, std::size_t kNames>
bool Named(const std::array<const char*, kNames>& names, std::string_view text, Enum& value) {
  const auto found = std::ranges::find(names, text);
  value = static_cast<Enum>(found - names.begin());
  return found != names.end();
}

std::optional<std::int64_t> ReadNumber(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  return ParseNumber<std::int64_t>(text);
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

// The first field that was read and is not known, also of the objects in a list.
std::optional<std::string> Unknown(const nlohmann::json& read, const Json& known) {
  for (const auto& [name, field] : read.items()) {
    if (!known.contains(name)) return name;
    for (std::size_t i = 0; field.is_array() && i < field.size(); ++i) {
      if (!field[i].is_object()) continue;
      if (const auto inner = Unknown(field[i], known[name][i])) return name + "." + *inner;
    }
  }
  return std::nullopt;
}

// `beside`: a field of the object that is not the value's.
template <typename T>
Status Read(const nlohmann::json& json, const char* beside, T& value) {
  if (const auto wrong = ReadFields(json, value)) {
    return Fail(StatusCode::kInvalidArgument, "the field {} does not fit", *wrong);
  }
  Json known = value;
  known[beside] = nullptr;
  if (const auto unknown = Unknown(json, known)) {
    return Fail(StatusCode::kInvalidArgument, "there is no field {}", *unknown);
  }
  return Status();
}

Json ToJson(const Step& step) {
  return std::visit(
      [](const auto& one) {
        Json json = {{kName, one.kName}};
        json.update(Json(one));
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
  const Json shown = one;
  const Json usual = T();
  std::string text;
  for (const auto& [name, value] : shown.items()) {
    const bool words = value.is_string();
    if (value == usual[name] && name != "stream") continue;
    if (words && value.template get<std::string>().empty()) continue;
    text += fmt::format(" {}={}", name, words ? value.template get<std::string>() : value.dump());
  }
  return text;
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

// The limits and the server, and how many steps follow, if the line says so.
Status ReadFirstLine(std::string_view line, Script& script, std::optional<std::size_t>& count) {
  WP_ASSIGN_OR_RETURN(const nlohmann::json json, ParseObject(line));
  FirstLine read;
  WP_RETURN_IF_ERROR(Read(json, kCount, read));
  WP_RETURN_IF_ERROR(CheckLimits(read.limits));
  if (read.server.progress_ms < 0) {
    return Fail(StatusCode::kInvalidArgument, "server_progress_ms is at least 0");
  }
  script.limits = read.limits;
  script.server = read.server;
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

bool FromText(std::string_view text, Place& place) {
  place = {};
  if (text == "now") return true;
  for (const auto& [name, from] :
       {std::pair("head", Place::From::kHead), std::pair("floor", Place::From::kFloor)}) {
    if (!text.starts_with(name)) continue;
    place.from = from;
    text.remove_prefix(std::strlen(name));
    if (text.empty()) return true;
    break;
  }
  const auto number = ReadNumber(text);
  place.plus = number.value_or(0);
  return number.has_value();
}

std::string ToText(const TxnPart& part) {
  std::string text = fmt::format("{} {}", kParts[static_cast<std::size_t>(part.kind)], part.key);
  if (!part.end.empty()) text += " " + part.end;
  if (part.lease != 0) text += fmt::format(" lease {}", part.lease);
  return text;
}

bool FromText(std::string_view text, TxnPart& part) {
  const std::vector<std::string> words = Words(text);
  part = {};
  if (!Named(kParts, words[0], part.kind) || words.size() < 2) return false;
  part.key = words[1];
  const bool put = part.kind == TxnPart::Kind::kPut;
  if (put && words.size() == 4 && words[2] == "lease") {
    const auto lease = ReadNumber(words[3]);
    part.lease = lease.value_or(0);
    return lease.has_value();
  }
  if (words.size() == 3) part.end = words[2];
  return words.size() == 2 || (words.size() == 3 && !put);
}

std::string ToText(const Condition& condition) {
  return fmt::format("{} {}{}{} {} {}", kTargets[static_cast<std::size_t>(condition.target)],
                     condition.key, condition.end.empty() ? "" : " ", condition.end,
                     kResults[static_cast<std::size_t>(condition.relation)], condition.value);
}

bool FromText(std::string_view text, Condition& condition) {
  const std::vector<std::string> words = Words(text);
  const bool ranged = words.size() == 5;
  condition = {};
  if (words.size() != 4 && !ranged) return false;
  condition.key = words[1];
  if (ranged) condition.end = words[2];
  condition.value = words.back();
  return Named(kTargets, words[0], condition.target) &&
         Named(kResults, words[words.size() - 2], condition.relation) &&
         (condition.target == Condition::Target::kValue || ReadNumber(words.back()));
}

std::string ToText(Loop loop) { return kLoops[static_cast<std::size_t>(loop)]; }

bool FromText(std::string_view text, Loop& loop) { return Named(kLoops, text, loop); }

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

std::string Describe(const Step& step) {
  return std::visit([](const auto& one) { return one.kName + Differences(one); }, step);
}

std::string DescribeLimits(const Limits& limits) {
  const std::string differences = Differences(limits);
  return differences.empty() ? "usual limits" : "limits" + differences;
}

std::string DescribeServer(const Server& server) {
  const std::string differences = Differences(server);
  return differences.empty() ? "default settings" : differences.substr(1);
}

std::string ToText(const Script& script) {
  Json first = FirstLine{script.limits, script.server};
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
    Status status = line == 1 ? ReadFirstLine(one, script, count) : AddStep(one, script);
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
