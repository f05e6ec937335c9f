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
  std::vector<WatchOffset> rest;
  for (const WatchOffset& offset : unit.offsets) {
    (offset.end <= bytes ? first.offsets : rest)
        .push_back(offset.end <= bytes ? offset : offset.After(bytes));
  }
  unit.offsets = std::move(rest);
  SetPayload(first, payload.substr(0, bytes), 0);
  SetPayload(unit, payload.substr(bytes), unit.header.flags);
  first.cost = std::min(unit.cost, first.size());
  unit.cost -= first.cost;
  return first;
}

Unit SplitEnd(Unit& unit) {
  WP_CHECK(unit.divisible() && unit.ends_stream(), "DATA that ends its stream");
  Unit end{.direction = unit.direction, .header = unit.header, .stream = unit.stream};
  SetPayload(end, {}, unit.header.flags);
  const std::string whole = std::move(unit.bytes);
  SetPayload(unit, std::string_view(whole).substr(kFrameHeaderBytes), 0);
  return end;
}

Unit TakePadding(Unit& unit) {
  const std::string whole = std::move(unit.bytes);
  const auto content = ContentOf(unit.header, whole);
  WP_CHECK(unit.header.has(kFlagPadded) && content, "the padding was checked before");
  Unit padding{.direction = unit.direction, .header = unit.header, .stream = unit.stream};
  padding.header.length -= static_cast<std::uint32_t>(content->size());
  SetPayload(unit, *content, static_cast<std::uint8_t>(unit.header.flags & ~kFlagPadded));
  padding.cost = unit.cost - std::min(unit.cost, unit.size());
  unit.cost -= padding.cost;
  return padding;
}

const WatchOffset* FindOffset(const Unit& unit, WatchOffset::Kind kind) {
  const auto it = std::find_if(unit.offsets.begin(), unit.offsets.end(),
                               [kind](const WatchOffset& offset) { return offset.kind == kind; });
  return it == unit.offsets.end() ? nullptr : &*it;
}

}  // namespace watchproof::proxy
