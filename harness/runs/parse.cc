// SPDX-License-Identifier: Apache-2.0
#include "harness/runs/parse.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <numeric>

#include "harness/base/escape.h"

namespace watchproof {
namespace {

// Parses the whole text as a number that is not negative.
bool ReadNumber(std::string_view text, std::int64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number >= 0;
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

// Insertions, deletions, replacements and swaps of neighbours.
std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(last.begin(), last.end(), 0U);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

}  // namespace

Result<Duration> ParseDuration(std::string_view text) {
  struct Unit {
    std::string_view suffix;
    Duration value;
  };
  static constexpr Unit kUnits[] = {{"ms", 1ms}, {"us", 1us}, {"s", 1s}, {"m", 1min}, {"h", 1h}};
  for (const Unit& unit : kUnits) {
    if (!text.ends_with(unit.suffix)) continue;
    std::int64_t number = 0;
    const std::int64_t most = Duration::max() / unit.value;
    if (ReadNumber(text.substr(0, text.size() - unit.suffix.size()), number) && number <= most) {
      return number * unit.value;
    }
    break;
  }
  return Fail(StatusCode::kInvalidArgument,
              "'{}' is not a duration; expected a whole number with its unit, as in 500ms, 60s, 2m",
              text);
}

Result<int> ParseCount(std::string_view text, int least) {
  std::int64_t number = 0;
  if (!ReadNumber(text, number) || number < least || number > 1'000'000'000) {
    return Fail(StatusCode::kInvalidArgument, "'{}' is not a whole number of at least {}", text,
                least);
  }
  return static_cast<int>(number);
}

Result<Shard> ParseShard(std::string_view text) {
  const std::size_t slash = text.find('/');
  std::int64_t index = 0;
  std::int64_t count = 0;
  if (slash == std::string_view::npos || !ReadNumber(text.substr(0, slash), index) ||
      !ReadNumber(text.substr(slash + 1), count) || index < 1 || index > count || count > 100'000) {
    return Fail(StatusCode::kInvalidArgument,
                "'{}' is not a shard; expected I/N with I from 1 to N, as in 2/3", text);
  }
  return Shard{static_cast<int>(index), static_cast<int>(count)};
}

Result<NamedParameters> ParseNamedParameters(std::string_view text) {
  const std::size_t colon = text.find(':');
  NamedParameters named{.name = std::string(text.substr(0, colon)), .parameters = {}};
  std::string_view rest = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  const bool cut_off = colon != std::string_view::npos && rest.empty();
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    const std::string_view pair = rest.substr(0, comma);
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos || equals == 0) {
      return Fail(StatusCode::kInvalidArgument, "'{}' in '{}': expected key=value", pair, text);
    }
    named.parameters[std::string(pair.substr(0, equals))] = std::string(pair.substr(equals + 1));
    rest = comma == std::string_view::npos ? "" : rest.substr(comma + 1);
  }
  if (named.name.empty() || cut_off) {
    return Fail(StatusCode::kInvalidArgument, "'{}': expected NAME or NAME:key=value,...", text);
  }
  return named;
}

Result<HostPort> ParseHostPort(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  std::int64_t port = 0;
  if (colon == std::string_view::npos || colon == 0 || !ReadNumber(text.substr(colon + 1), port) ||
      port > 65535) {
    return Fail(StatusCode::kInvalidArgument,
                "'{}' is not an address; expected HOST:PORT, as in 127.0.0.1:2379", text);
  }
  std::string_view host = text.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  }
  return HostPort{std::string(host), static_cast<int>(port)};
}

Status CheckPrintable(const std::string& name) {
  if (Escaped(name) == name) return {};
  return Fail(StatusCode::kInvalidArgument,
              "'{}' has control characters or is not UTF-8; expected text", Escaped(name));
}

std::string ClosestMatch(std::string_view word, const std::vector<std::string>& known) {
  const std::string wanted = Lower(word);
  std::string best;
  std::size_t least = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& candidate : known) {
    const std::string have = Lower(candidate);
    std::size_t distance = EditDistance(wanted, have);
    // A part of a long name is a good hint, whatever its distance.
    if (wanted.size() >= 4 && have.find(wanted) != std::string::npos) {
      distance = std::min<std::size_t>(distance, 1);
    }
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

std::string DidYouMean(std::string_view word, const std::vector<std::string>& known) {
  const std::string match = ClosestMatch(word, known);
  return match.empty() ? "" : fmt::format("; did you mean {}?", match);
}

}  // namespace watchproof
