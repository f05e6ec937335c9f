// SPDX-License-Identifier: Apache-2.0
// Parses texts of options. Every error names the text and what was expected.
//
// Threads: pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/deadline.h"
#include "harness/base/status.h"

namespace watchproof {

// "60s", "500ms", "2m": a number with its unit.
Result<Duration> ParseDuration(std::string_view text);
// A whole number of at least `least`.
Result<int> ParseCount(std::string_view text, int least);

// Part `index` of `count`, from 1.
struct Shard {
  int index = 1;
  int count = 1;
};
Result<Shard> ParseShard(std::string_view text);

// "stall:duration=1ms,at-least=64KiB"
struct NamedParameters {
  std::string name;
  std::map<std::string, std::string> parameters;
};
Result<NamedParameters> ParseNamedParameters(std::string_view text);

struct HostPort {
  std::string host;
  int port = 0;
};
// "127.0.0.1:2379", "[::1]:2379"
Result<HostPort> ParseHostPort(std::string_view text);

// Adds to an error what it is about, such as the name of a flag.
template <typename T>
Result<T> InContext(std::string_view subject, Result<T> parsed) {
  if (!parsed.has_value()) return std::move(parsed).error().WithContext("{}", subject);
  return parsed;
}

// Names travel in JSON, which holds text and nothing else.
Status CheckPrintable(const std::string& name);

// The most similar word of `known`, or empty if none is similar.
std::string ClosestMatch(std::string_view word, const std::vector<std::string>& known);
// "; did you mean X?" or nothing.
std::string DidYouMean(std::string_view word, const std::vector<std::string>& known);

}  // namespace watchproof
