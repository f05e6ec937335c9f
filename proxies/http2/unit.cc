// SPDX-License-Identifier: Apache-2.0
#include "proxies/http2/unit.h"

#include <algorithm>
#include <utility>

#include "harness/base/check.h"

namespace watchproof::proxy {
namespace {

void SetPayload(Unit& unit, std::string_view payload, std::uint8_t flags) {
  unit.header.length = static_cast<std::uint32_t>(payload.size());
  unit.header.flags = flags;
  unit.bytes = MakeFrame(unit.header, payload);
}

}  // namespace

Unit SplitOff(Unit& unit, std::size_t bytes) {
  WP_CHECK(unit.divisible() && bytes > 0 && bytes < unit.header.length,
           "a cut inside a DATA frame");
  const std::string whole = std::move(unit.bytes);
  const std::string_view payload = std::string_view(whole).substr(kFrameHeaderBytes);
  Unit first{.direction = unit.direction, .header = unit.header, .stream = unit.stream};
  std::vector<WatchMark> rest;
  for (const WatchMark& mark : unit.marks) {
    (mark.end <= bytes ? first.marks : rest)
        .push_back(mark.end <= bytes ? mark : mark.After(bytes));
  }
  unit.marks = std::move(rest);
  SetPayload(first, payload.substr(0, bytes), 0);
  SetPayload(unit, payload.substr(bytes), unit.header.flags);
  first.cost = std::min(unit.cost, first.size());
  unit.cost -= first.cost;
  return first;
}

}  // namespace watchproof::proxy
