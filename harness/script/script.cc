// SPDX-License-Identifier: Apache-2.0
#include "harness/script/script.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>

#include "harness/base/parse.h"

namespace watchproof::explore {

namespace {

constexpr std::array<const char*, 7> kLoops = {"commit", "sync",  "victims",   "progress",
                                               "expire", "erase", "checkpoint"};
constexpr std::array<const char*, 4> kCrashes = {"kill", "power", "parts", "torn"};
constexpr std::array<const char*, 3> kDisturbances = {"isolate", "pause", "lead"};
constexpr std::array<const char*, 3> kOrders = {"none", "ascend", "descend"};
constexpr std::string_view kThere = "there";
constexpr std::string_view kPrevious = "previous";
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

// An option of a read from its text.
bool ReadText(std::string_view text, bool& value) {
  value = text == "true";
  return value || text == "false";
}
bool ReadText(std::string_view text, std::int64_t& value) {
  const auto number = ReadNumber(text);
  value = number.value_or(0);
  return number.has_value();
}
bool ReadText(std::string_view text, auto& value) { return FromText(text, value); }

// The text of a field. What is in a list is quoted.
std::string TextOf(bool value) { return value ? "true" : "false"; }
std::string TextOf(int value) { return fmt::format("{}", value); }
std::string TextOf(std::int64_t value) { return fmt::format("{}", value); }
std::string TextOf(const std::string& value) { return value; }
template <typename T>
requires requires(const T& value) { ToText(value); }
std::string TextOf(const T& value) { return ToText(value); }
template <typename T>
std::string TextOf(const std::vector<T>& values);
template <typename T>
requires requires(T& value) { T::kName; }
std::string TextOf(const T& step);

// Each field by its name, in order.
using Texts = std::vector<std::pair<std::string, std::string>>;
template <typename T>
Texts TextsOf(T one) {
  Texts texts;
  const auto add = [&texts](const char* name, const auto& value) {
    texts.emplace_back(name, TextOf(value));
  };
  one.Fields(add);
  return texts;
}

// The fields that have not their default, each as " name=value".
template <typename T>
std::string Differences(const T& one) {
  const Texts shown = TextsOf(one);
  const Texts usual = TextsOf(T());
  std::string text;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const auto& [name, value] = shown[i];
    if (value.empty() || (value == usual[i].second && name != "stream")) continue;
    text += fmt::format(" {}={}", name, value);
  }
  return text;
}

template <typename T>
std::string TextOf(const std::vector<T>& values) {
  std::string text;
  for (const T& value : values) {
    text += fmt::format("{}\"{}\"", text.empty() ? "" : ",", TextOf(value));
  }
  return "[" + text + "]";
}
template <typename T>
requires requires(T& value) { T::kName; }
std::string TextOf(const T& step) { return step.kName + Differences(step); }

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

std::string ToText(Order order) { return kOrders[static_cast<std::size_t>(order)]; }

bool FromText(std::string_view text, Order& order) { return Named(kOrders, text, order); }

std::string ToText(const TxnPart& part) {
  std::string text = fmt::format("{} {}", kParts[static_cast<std::size_t>(part.kind)], part.key);
  if (!part.end.empty()) text += " " + part.end;
  if (part.lease != 0) text += fmt::format(" lease {}", part.lease);
  if (part.keeps_value) text += " keep-value";
  if (part.keeps_lease) text += " keep-lease";
  if (part.previous) text += " previous";
  return text + Differences(part.read);
}

// The options behind the key, and the end if there is one.
bool PutOptionsFrom(const std::vector<std::string>& words, TxnPart& put) {
  for (std::size_t i = 2; i < words.size(); ++i) {
    if (words[i] == "keep-value") {
      put.keeps_value = true;
    } else if (words[i] == "keep-lease") {
      put.keeps_lease = true;
    } else if (words[i] == kPrevious) {
      put.previous = true;
    } else if (words[i] == "lease" && i + 1 < words.size()) {
      const auto lease = ReadNumber(words[++i]);
      if (!lease) return false;
      put.lease = *lease;
    } else {
      return false;
    }
  }
  return true;
}

bool ReadOptionFrom(std::string_view word, Get& read) {
  const std::size_t split = word.find('=');
  if (split == std::string_view::npos) return false;
  bool known = false;
  const auto set = [&](std::string_view name, auto& value) {
    if (name == word.substr(0, split)) known = ReadText(word.substr(split + 1), value);
  };
  read.Options(set);
  return known;
}

bool FromText(std::string_view text, TxnPart& part) {
  std::vector<std::string> words = Words(text);
  part = {};
  if (!Named(kParts, words[0], part.kind) || words.size() < 2) return false;
  part.key = words[1];
  if (part.kind == TxnPart::Kind::kPut) return PutOptionsFrom(words, part);
  words.erase(words.begin(), words.begin() + 2);
  const bool deletes = part.kind == TxnPart::Kind::kDelete;
  if (!words.empty() && words[0] != kPrevious && words[0].find('=') == std::string::npos) {
    part.end = words[0];
    words.erase(words.begin());
  }
  if (!deletes) {
    const auto read = [&part](const std::string& word) { return ReadOptionFrom(word, part.read); };
    return std::ranges::all_of(words, read) && Check(Step(part.read)).ok();
  }
  part.previous = !words.empty() && words[0] == kPrevious;
  return words.size() == (part.previous ? 1U : 0U);
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
         (condition.target == Condition::Target::kValue || ReadNumber(words.back()) ||
          FromThere(words.back()));
}

std::optional<std::int64_t> FromThere(std::string_view value) {
  if (!value.starts_with(kThere)) return std::nullopt;
  value.remove_prefix(kThere.size());
  if (value.empty()) return 0;
  return value[0] == '+' || value[0] == '-' ? ReadNumber(value) : std::nullopt;
}

std::string ToText(Loop loop) { return kLoops[static_cast<std::size_t>(loop)]; }

bool FromText(std::string_view text, Loop& loop) { return Named(kLoops, text, loop); }

std::string ToText(CrashPoint::How how) { return kCrashes[static_cast<std::size_t>(how)]; }

bool FromText(std::string_view text, CrashPoint::How& how) { return Named(kCrashes, text, how); }

std::string ToText(Disturb::How how) { return kDisturbances[static_cast<std::size_t>(how)]; }

bool FromText(std::string_view text, Disturb::How& how) { return Named(kDisturbances, text, how); }

int MembersOf(const Script& script) {
  int most = 1;
  for (const Step& step : script.steps) {
    std::visit(
        [&most](const auto& one) {
          if constexpr (requires { one.member; }) most = std::max(most, one.member);
        },
        step);
  }
  return most;
}

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
        if constexpr (requires { one.bytes; }) {
          if (one.bytes < 0 || one.bytes > kMostBytes) {
            return Fail(StatusCode::kInvalidArgument, "bytes is 0 to {}", kMostBytes);
          }
        }
        if constexpr (requires { one.nth; }) {
          if (one.nth < 1) return Fail(StatusCode::kInvalidArgument, "nth is at least 1");
        }
        if constexpr (requires { one.member; }) {
          if (one.member < 1 || one.member > kMostMembers) {
            return Fail(StatusCode::kInvalidArgument, "a member is 1 to {}", kMostMembers);
          }
        }
        if constexpr (requires { one.how == Disturb::How::kLead; }) {
          if (one.how != Disturb::How::kLead && one.member == 1) {
            return Fail(StatusCode::kInvalidArgument,
                        "the first member is neither isolated nor paused; expected another one");
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

Status Check(const Limits& limits) {
  for (const std::int64_t limit :
       {limits.queued_replies, limits.control_replies, limits.watchers_per_step,
        limits.revisions_per_batch, limits.reply_bytes, limits.part_bytes, limits.progress_ms}) {
    if (limit < 1) return Fail(StatusCode::kInvalidArgument, "each limit is at least 1");
  }
  return Status();
}

Status Check(const Server& server) {
  const bool valid = server.progress_ms >= 0 && server.snapshot_count >= 0 &&
                     server.compaction_batch >= 0 && server.catch_up_entries >= 0;
  return valid ? Status()
               : Fail(StatusCode::kInvalidArgument,
                      "server_progress_ms, server_snapshot_count, server_compaction_batch and "
                      "server_catch_up_entries are at least 0");
}

std::string ToText(const Script& script) {
  std::string text = DescribeLimits(script.limits) + ", " + DescribeServer(script.server) + "\n";
  for (const Step& step : script.steps) text += Describe(step) + "\n";
  return text;
}

}  // namespace watchproof::explore
