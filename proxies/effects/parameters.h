// SPDX-License-Identifier: Apache-2.0
// The parameters of an effect as a person writes them, checked against what the effect declares.
//
//   WP_ASSIGN_OR_RETURN(const ParameterValues values, ParseParameters("latency", declared, given));
//   values.duration("delay");
//
// Durations and sizes carry their unit ("20ms", "64KiB"), so that it is explicit.
//
// Threads: values.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/deadline.h"
#include "harness/base/status.h"

namespace watchproof::proxy {

// Name to value: {"delay", "20ms"}.
using Parameters = std::map<std::string, std::string>;

enum class ParameterKind { kDuration, kBytes, kYesNo, kWord, kNumber, kText };

// How an effect declares one parameter.
struct ParameterInfo {
  std::string name;
  ParameterKind kind = ParameterKind::kDuration;
  std::string default_value = {};
  std::string explain = {};
  std::int64_t least = 0;  // in nanoseconds or bytes, or a number
  std::int64_t most = INT64_MAX;
  std::vector<std::string> words = {};  // those that a kWord may be
};
// The form a value must have, for messages and the manual: "a duration such as 20ms or 1.5s".
std::string ExpectedForm(const ParameterInfo& declared);

// One value per declared parameter. Asking for an undeclared name is a programmer mistake.
class ParameterValues {
 public:
  Duration duration(const std::string& name) const;
  std::int64_t bytes(const std::string& name) const;
  bool yes(const std::string& name) const;
  // The place of the word among those declared.
  std::size_t word(const std::string& name) const;
  std::int64_t number(const std::string& name) const;
  // As it was written, of a parameter of any kind.
  const std::string& text(const std::string& name) const;

 private:
  friend Result<ParameterValues> ParseParameters(std::string_view effect,
                                                 const std::vector<ParameterInfo>& declared,
                                                 const Parameters& given);
  struct Value {
    ParameterKind kind;
    std::int64_t number;  // nanoseconds, bytes, 0 and 1, the place of a word, or itself
    std::string text;
  };
  const Value& Get(const std::string& name, ParameterKind kind) const;

  std::map<std::string, Value> values_;
};

// Fills in defaults; names the parameter and the expected form when a value cannot be used.
Result<ParameterValues> ParseParameters(std::string_view effect,
                                        const std::vector<ParameterInfo>& declared,
                                        const Parameters& given);

}  // namespace watchproof::proxy
