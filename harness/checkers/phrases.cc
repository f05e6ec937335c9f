// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/phrases.h"

#include <fmt/format.h>

namespace watchproof {
namespace {

constexpr std::size_t kLongestQuote = 64;

std::string_view TypeName(std::int64_t type) {
  if (type == 0) return "put";
  return type == 1 ? "delete" : "event of unknown type";
}

}  // namespace

std::string Quoted(std::string_view bytes) {
  std::string quoted = "\"";
  for (const char c : bytes.substr(0, kLongestQuote)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += {'\\', c};
    } else if (byte < 0x20 || byte > 0x7e) {
      quoted += fmt::format("\\x{:02x}", byte);
    } else {
      quoted += c;
    }
  }
  quoted += '"';
  if (bytes.size() > kLongestQuote)
    quoted += fmt::format(" and {} bytes more", bytes.size() - kLongestQuote);
  return quoted;
}

std::string Phrase(const KeyRange& range) {
  if (range.single()) return Quoted(range.first());
  if (!range.open_ended()) {
    return fmt::format("[{}, {})", Quoted(range.first()), Quoted(range.end()));
  }
  if (range == KeyRange("", std::string_view("\0", 1))) return "every key";
  return fmt::format("every key from {}", Quoted(range.first()));
}

std::string Phrase(const KeyRanges& ranges) {
  std::string all;
  for (const KeyRange& one : ranges.ranges()) {
    all += fmt::format("{}{}", all.empty() ? "" : " and ", Phrase(one));
  }
  return all;
}

std::string Milliseconds(Duration duration) {
  return fmt::format("{:.1f} ms", static_cast<double>(duration.count()) / 1e6);
}

std::string Phrase(const EventView& event) {
  return fmt::format("{} of {} at revision {}", TypeName(event.type), Quoted(event.kv.key),
                     event.kv.mod_revision);
}

std::string Phrase(const Change& change) {
  return fmt::format("{} of {} at revision {}", TypeName(change.deleted ? 1 : 0),
                     Quoted(change.key), change.revision);
}

std::string Since(Where now, Where before) {
  return fmt::format("in line {}, {} after line {}", now.line.value,
                     Milliseconds(now.at - before.at), before.line.value);
}

}  // namespace watchproof
