// SPDX-License-Identifier: Apache-2.0
// The latest events of a recording, as one run of bytes, so that an event delivered to many watches
// is stored once.
//
//   const WindowPart part = index.Find(window, events);       // the writer's side
//   window.Apply(part, literal);                              // both sides, in the same order
//   Bytes tail = window.Share(part);
//
// Watches of one range get the same events, but split into messages at different places. New events
// are appended, so the window holds the events in the order of revisions, and nearly every later
// message is a part of it, however it was split. Not thread-safe. Ownership: shared parts keep
// their segment alive after the window has moved on.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "harness/base/bytes.h"

namespace watchproof {

// Where the events of a message stand in the window once their `literal` last bytes were appended.
struct WindowPart {
  bool fresh = false;  // the window begins anew
  std::uint32_t at = 0;
  std::uint32_t size = 0;
  std::uint32_t literal = 0;
};

class EventWindow {
 public:
  static constexpr std::size_t kSize = 1 << 20;

  // False, and nothing happens, when the part does not fit the window. `literal` is appended.
  bool Apply(const WindowPart& part, std::string_view literal);
  // Requires: the part was applied.
  Bytes Share(const WindowPart& part) const;
  std::string_view view() const { return {segment_.get(), used_}; }

 private:
  // Shared with the parts that were handed out. Grows only beyond them.
  std::shared_ptr<char[]> segment_;
  std::size_t used_ = 0;
};

// Finds messages in the window by their first event.
class EventIndex {
 public:
  // Requires: `events` are fields of a WatchResponse, the first of them an event, no more than
  // EventWindow::kSize bytes.
  WindowPart Find(std::string_view window, std::string_view events);

 private:
  // One place per event, the latest one; an event with the same hash replaces it.
  static constexpr std::size_t kPlaces = 1 << 14;

  void Learn(std::string_view events, std::size_t at);

  std::vector<std::uint32_t> places_ = std::vector<std::uint32_t>(kPlaces);  // 1 + offset
};

}  // namespace watchproof
