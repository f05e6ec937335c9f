// SPDX-License-Identifier: Apache-2.0
#include "proxies/effects/parameters.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "harness/base/check.h"
#include "harness/base/parse.h"

namespace watchproof::proxy {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};
constexpr Unit kDurationUnits[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"m", 60e9}};
constexpr Unit kByteUnits[] = {{"B", 1}, {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}};
// Far beyond any use, and far from where adding to a time point would overflow.
constexpr double kLargest = 1e17;

// A non-negative number directly followed by one of the units.
template <std::size_t kCount>
std::optional<std::int64_t> ReadQuantity(std::string_view text, const Unit (&units)[kCount]) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  const std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  const auto* known = std::find_if(std::begin(units), std::end(units),
                                   [unit](const Unit& one) { return one.name == unit; });
  if (error != std::errc() || known == std::end(units)) return std::nullopt;
  const double scaled = number * known->factor;
  if (!(scaled >= 0 && scaled <= kLargest)) return std::nullopt;
  return std::llround(scaled);
}

// The place of the word.
std::optional<std::int64_t> ReadWord(std::string_view text, const std::vector<std::string>& words) {
  const auto it = std::find(words.begin(), words.end(), text);
  return it == words.end() ? std::nullopt : std::optional(it - words.begin());
}

std::optional<std::int64_t> Read(const ParameterInfo& declared, const std::string& text) {
  switch (declared.kind) {
    case ParameterKind::kDuration:
      return ReadQuantity(text, kDurationUnits);
    case ParameterKind::kBytes:
      return ReadQuantity(text, kByteUnits);
    case ParameterKind::kYesNo:
      return ReadWord(text, {"no", "yes"});
    case ParameterKind::kWord:
      return ReadWord(text, declared.words);
    case ParameterKind::kNumber:
      return ParseNumber<std::int64_t>(text);
    case ParameterKind::kText:
      return 0;
  }
  return std::nullopt;
}

std::string NamesOf(const std::vector<ParameterInfo>& declared) {
  std::string names;
  for (const ParameterInfo& one : declared) names += (names.empty() ? "" : ", ") + one.name;
  return names.empty() ? "none" : names;
}

}  // namespace

std::string ExpectedForm(const ParameterInfo& declared) {
  // By the kind; a word has its own.
  constexpr const char* kForms[] = {"a duration such as 20ms or 1.5s (units ns, us, ms, s, m)",
                                    "a size such as 512B or 64KiB (units B, KiB, MiB, GiB)",
                                    "yes or no",
                                    nullptr,
                                    "a whole number",
                                    "a text"};
  if (declared.kind != ParameterKind::kWord) return kForms[static_cast<int>(declared.kind)];
  return fmt::format("one of {}", fmt::join(declared.words, ", "));
}

const ParameterValues::Value& ParameterValues::Get(const std::string& name,
                                                   ParameterKind kind) const {
  const auto it = values_.find(name);
  WP_CHECK(it != values_.end() && it->second.kind == kind, "an effect reads what it declared");
  return it->second;
}

Duration ParameterValues::duration(const std::string& name) const {
  return Duration(Get(name, ParameterKind::kDuration).number);
}
std::int64_t ParameterValues::bytes(const std::string& name) const {
  return Get(name, ParameterKind::kBytes).number;
}
bool ParameterValues::yes(const std::string& name) const {
  return Get(name, ParameterKind::kYesNo).number == 1;
}
std::size_t ParameterValues::word(const std::string& name) const {
  return static_cast<std::size_t>(Get(name, ParameterKind::kWord).number);
}
std::int64_t ParameterValues::number(const std::string& name) const {
  return Get(name, ParameterKind::kNumber).number;
}
const std::string& ParameterValues::text(const std::string& name) const {
  const auto it = values_.find(name);
  WP_CHECK(it != values_.end(), "an effect reads what it declared");
  return it->second.text;
}

Result<ParameterValues> ParseParameters(std::string_view effect,
                                        const std::vector<ParameterInfo>& declared,
                                        const Parameters& given) {
  for (const auto& [name, text] : given) {
    const bool known = std::any_of(declared.begin(), declared.end(),
                                   [&name](const ParameterInfo& one) { return one.name == name; });
    if (!known) {
      return Fail(StatusCode::kInvalidArgument, "{} has no parameter '{}'; it has: {}", effect,
                  name, NamesOf(declared));
    }
  }
  ParameterValues values;
  for (const ParameterInfo& one : declared) {
    const auto it = given.find(one.name);
    const std::string& text = it == given.end() ? one.default_value : it->second;
    const std::optional<std::int64_t> number = Read(one, text);
    if (!number) {
      return Fail(StatusCode::kInvalidArgument, "{}: parameter '{}': '{}' is not {}", effect,
                  one.name, text, ExpectedForm(one));
    }
    if (*number < one.least || *number > one.most) {
      return Fail(StatusCode::kInvalidArgument, "{}: parameter '{}': '{}' is too {}; {}", effect,
                  one.name, text, *number < one.least ? "small" : "large", one.explain);
    }
    values.values_[one.name] = {.kind = one.kind, .number = *number, .text = text};
  }
  return values;
}

}  // namespace watchproof::proxy
