// SPDX-License-Identifier: Apache-2.0
// Counts the events of a watch response without parsing it into messages, so that a benchmark
// measures the server and not its own client.
//
//   const Seen seen = Scan(message);                  // seen.events, seen.created
//   ScanStamps(message, [](std::uint64_t stamp) {});  // the same, and the stamps in the values
//
// Threads: free functions without state.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "harness/history/wire.h"

namespace watchproof::store {

struct Seen {
  std::uint64_t events = 0;
  bool created = false;
};

// Calls `on_event` with the bytes of each.
template <typename OnEvent>
Seen ScanEvents(std::string_view message, OnEvent&& on_event) {
  Seen seen;
  for (FieldScanner field(message); field.Next();) {
    if (field.number() == 3 && field.is_varint()) seen.created = field.flag();
    if (field.number() != 11 || !field.is_bytes()) continue;
    ++seen.events;
    on_event(field.bytes());
  }
  return seen;
}

inline Seen Scan(std::string_view message) {
  return ScanEvents(message, [](std::string_view) {});
}

// Calls `on_field` with the bytes of each field of this number.
template <typename OnField>
void EachField(std::string_view message, std::uint32_t number, OnField&& on_field) {
  for (FieldScanner field(message); field.Next();) {
    if (field.number() == number && field.is_bytes()) on_field(field.bytes());
  }
}

// `on_stamp(number)` is called with the first eight bytes of the value of each event.
template <typename OnStamp>
Seen ScanStamps(std::string_view message, OnStamp&& on_stamp) {
  return ScanEvents(message, [&](std::string_view event) {
    EachField(event, 2, [&](std::string_view key_value) {
      EachField(key_value, 5, [&](std::string_view value) {
        std::uint64_t stamp = 0;
        if (value.size() < sizeof stamp) return;
        std::memcpy(&stamp, value.data(), sizeof stamp);
        on_stamp(stamp);
      });
    });
  });
}

}  // namespace watchproof::store
