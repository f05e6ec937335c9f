// SPDX-License-Identifier: Apache-2.0
// Counts the events of a watch response without parsing it into messages, so that a benchmark
// measures the server and not its own client.
//
//   const Seen seen = Scan(slices, false, [](std::uint64_t) {});   // seen.events, seen.created
//
// Threads: free functions without state.
#pragma once

#include <grpcpp/support/slice.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace watchproof::store {

struct Seen {
  std::uint64_t events = 0;
  bool created = false;
};

// Walks over the slices of one message.
class WireReader {
 public:
  explicit WireReader(const std::vector<grpc::Slice>& slices) : slices_(slices) { Settle(); }

  bool done() const { return slice_ == slices_.size(); }
  std::uint8_t Byte() {
    const std::uint8_t byte = slices_[slice_].begin()[at_++];
    Settle();
    return byte;
  }
  std::uint64_t Varint() {
    std::uint64_t value = 0;
    for (int shift = 0; !done(); shift += 7) {
      const std::uint8_t byte = Byte();
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    return value;
  }
  void Skip(std::uint64_t bytes) {
    while (bytes > 0 && !done()) {
      const std::uint64_t here = slices_[slice_].size() - at_;
      const std::uint64_t step = bytes < here ? bytes : here;
      at_ += step;
      bytes -= step;
      Settle();
    }
  }
  // Past one field of any kind.
  void SkipField(std::uint64_t tag) {
    switch (tag & 7) {
      case 0:
        Varint();
        break;
      case 1:
        Skip(8);
        break;
      case 2:
        Skip(Varint());
        break;
      default:
        Skip(4);
        break;
    }
  }

 private:
  void Settle() {
    while (slice_ < slices_.size() && at_ == slices_[slice_].size()) {
      ++slice_;
      at_ = 0;
    }
  }

  const std::vector<grpc::Slice>& slices_;
  std::size_t slice_ = 0;
  std::size_t at_ = 0;
};

constexpr std::uint64_t Tag(int field, int type) {
  return static_cast<std::uint64_t>(field) << 3 | static_cast<std::uint64_t>(type);
}

// When `stamps` is set, `on_stamp(number)` is called with the first eight bytes of the value of
// each event. Events are then walked into as if their fields stood in the response itself, which no
// two fields of the same number and kind forbid.
template <typename OnStamp>
Seen Scan(const std::vector<grpc::Slice>& slices, bool stamps, OnStamp&& on_stamp) {
  Seen seen;
  WireReader in(slices);
  while (!in.done()) {
    const std::uint64_t tag = in.Varint();
    if (tag == Tag(11, 2)) {
      ++seen.events;
      const std::uint64_t size = in.Varint();
      if (!stamps) in.Skip(size);
      // With stamps the event is walked into: its fields follow as if they were ours.
    } else if (stamps && tag == Tag(2, 2)) {
      in.Varint();  // the key-value pair of an event: walked into as well
    } else if (stamps && tag == Tag(5, 2)) {
      const std::uint64_t size = in.Varint();
      std::uint64_t stamp = 0;
      for (std::uint64_t i = 0; i < size && i < 8; ++i) {
        stamp |= static_cast<std::uint64_t>(in.Byte()) << (8 * i);
      }
      if (size > 8) in.Skip(size - 8);
      if (size >= 8) on_stamp(stamp);
    } else if (seen.events == 0 && tag == Tag(3, 0)) {
      seen.created = in.Varint() != 0;
    } else {
      in.SkipField(tag);
    }
  }
  return seen;
}

}  // namespace watchproof::store
