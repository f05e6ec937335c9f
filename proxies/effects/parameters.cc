// SPDX-License-Identifier: Apache-2.0
#include "proxies/effects/parameters.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "harness/base/check.h"

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

Status Unusable(std::string_view text, ParameterKind kind) {
  return Fail(StatusCode::kInvalidArgument, "'{}' is not {}", text, ExpectedForm(kind));
}

// A non-negative number directly followed by one of the units.
template <std::size_t kCount>
Result<std::int64_t> ParseQuantity(std::string_view text, const Unit (&units)[kCount],
                                   ParameterKind kind) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  const std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  const auto* known = std::find_if(std::begin(units), std::end(units),
                                   [unit](const Unit& one) { return one.name == unit; });
  if (error != std::errc() || known == std::end(units) || !(number >= 0)) {
    return Unusable(text, kind);
  }
  const double scaled = number * known->factor;
  if (scaled > kLargest) return Unusable(text, kind).WithContext("too large");
  return std::llround(scaled);
}

Result<std::int64_t> ParseAs(ParameterKind kind, std::string_view text) {
  switch (kind) {
    case ParameterKind::kDuration:
      return ParseQuantity(text, kDurationUnits, kind);
    case ParameterKind::kBytes:
      return ParseQuantity(text, kByteUnits, kind);
    case ParameterKind::kYesNo:
      if (text == "yes") return 1;
      if (text == "no") return 0;
      return Unusable(text, kind);
    case ParameterKind::kWord:
      break;
    case ParameterKind::kNumber: {
      std::int64_t number = 0;
      const char* end = text.data() + text.size();
      const auto [rest, error] = std::from_chars(text.data(), end, number);
      if (error != std::errc() || rest != end) return Unusable(text, kind);
      return number;
    }
    case ParameterKind::kText:
      return 0;
  }
  return Unusable(text, kind);
}

Result<std::int64_t> ParseAs(const ParameterInfo& declared, const std::string& text) {
  if (declared.kind != ParameterKind::kWord) return ParseAs(declared.kind, text);
  const auto it = std::find(declared.words.begin(), declared.words.end(), text);
  if (it != declared.words.end()) return it - declared.words.begin();
  return Fail(StatusCode::kInvalidArgument, "'{}' is none of {}", text,
              fmt::join(declared.words, ", "));
}

std::string NamesOf(const std::vector<ParameterInfo>& declared) {
  std::string names;
  for (const ParameterInfo& one : declared) names += (names.empty() ? "" : ", ") + one.name;
  return names.empty() ? "none" : names;
}

}  // namespace

const char* ExpectedForm(ParameterKind kind) {
  switch (kind) {
    case ParameterKind::kDuration:
      return "a duration such as 20ms or 1.5s (units ns, us, ms, s, m)";
    case ParameterKind::kBytes:
      return "a size such as 512B or 64KiB (units B, KiB, MiB, GiB)";
    case ParameterKind::kYesNo:
      return "yes or no";
    case ParameterKind::kWord:
      return "a word";
    case ParameterKind::kNumber:
      return "a whole number";
    case ParameterKind::kText:
      return "a text";
  }
  return "of a known kind";
}

Result<Duration> ParseDuration(std::string_view text) {
  WP_ASSIGN_OR_RETURN(const std::int64_t number, ParseAs(ParameterKind::kDuration, text));
  return Duration(number);
}

Result<std::int64_t> ParseBytes(std::string_view text) {
  return ParseAs(ParameterKind::kBytes, text);
}

Result<bool> ParseYesNo(std::string_view text) {
  WP_ASSIGN_OR_RETURN(const std::int64_t number, ParseAs(ParameterKind::kYesNo, text));
  return number == 1;
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
  return Get(name, ParameterKind::kText).text;
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
    Result<std::int64_t> number = ParseAs(one, text);
    if (!number.has_value()) {
      return std::move(number).error().WithContext("{}: parameter '{}'", effect, one.name);
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
