// SPDX-License-Identifier: Apache-2.0
// Counts the events of a watch response without parsing it into messages, so that a benchmark
// measures the server and not its own client.
//
//   const Seen seen = Scan(message, false, [](std::uint64_t) {});   // seen.events, seen.created
//
// Threads: free functions without state.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace watchproof::store {

struct Seen {
  std::uint64_t events = 0;
  bool created = false;
};

// Walks over the fields of one message; what is cut short ends it.
class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : rest_(bytes) {}

  bool done() const { return rest_.empty(); }
  std::uint64_t Varint() {
    std::uint64_t value = 0;
    for (int shift = 0; !done() && shift < 64; shift += 7) {
      const auto byte = static_cast<std::uint8_t>(rest_.front());
      rest_.remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    return value;
  }
  std::string_view Bytes(std::uint64_t size) {
    const std::string_view bytes = rest_.substr(0, size);
    rest_.remove_prefix(bytes.size());
    return bytes;
  }
  // Past one field of any kind.
  void SkipField(std::uint64_t tag) {
    switch (tag & 7) {
      case 0:
        Varint();
        break;
      case 1:
        Bytes(8);
        break;
      case 2:
        Bytes(Varint());
        break;
      default:
        Bytes(4);
        break;
    }
  }

 private:
  std::string_view rest_;
};

constexpr std::uint64_t Tag(int field, int type) {
  return static_cast<std::uint64_t>(field) << 3 | static_cast<std::uint64_t>(type);
}

// When `stamps` is set, `on_stamp(number)` is called with the first eight bytes of the value of
// each event. Events are then walked into as if their fields stood in the response itself, which no
// two fields of the same number and kind forbid.
template <typename OnStamp>
Seen Scan(std::string_view message, bool stamps, OnStamp&& on_stamp) {
  Seen seen;
  WireReader in(message);
  while (!in.done()) {
    const std::uint64_t tag = in.Varint();
    if (tag == Tag(11, 2)) {
      ++seen.events;
      const std::uint64_t size = in.Varint();
      if (!stamps) in.Bytes(size);
      // With stamps the event is walked into: its fields follow as if they were ours.
    } else if (stamps && tag == Tag(2, 2)) {
      in.Varint();  // the key-value pair of an event: walked into as well
    } else if (stamps && tag == Tag(5, 2)) {
      const std::string_view value = in.Bytes(in.Varint());
      std::uint64_t stamp = 0;
      if (value.size() < sizeof stamp) continue;
      std::memcpy(&stamp, value.data(), sizeof stamp);
      on_stamp(stamp);
    } else if (seen.events == 0 && tag == Tag(3, 0)) {
      seen.created = in.Varint() != 0;
    } else {
      in.SkipField(tag);
    }
  }
  return seen;
}

}  // namespace watchproof::store
