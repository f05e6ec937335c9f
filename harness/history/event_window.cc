// SPDX-License-Identifier: Apache-2.0
#include "harness/history/event_window.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "harness/base/check.h"
#include "harness/history/wire.h"

namespace watchproof {
namespace {

// Only spreads events over places: a match is confirmed by comparing the bytes.
std::uint64_t Hash(std::string_view event) {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
  std::uint64_t hash = event.size();
  while (!event.empty()) {
    std::uint64_t word = 0;
    const std::size_t taken = std::min(event.size(), sizeof(word));
    std::memcpy(&word, event.data(), taken);
    event.remove_prefix(taken);
    hash = (hash ^ word) * kOdd;
    hash ^= hash >> 32;
  }
  return hash;
}

// The first field of the message, tag included; all of it when it is malformed.
std::string_view FirstOf(std::string_view message) {
  const auto field = FirstField(message);
  return field ? message.substr(0, field->size) : message;
}

}  // namespace

bool EventWindow::Apply(const WindowPart& part, std::string_view literal) {
  const std::size_t begin = part.fresh ? 0 : used_;
  const std::size_t end = begin + literal.size();
  // New bytes stand at the end of the part and of the window.
  if (literal.size() != part.literal || part.literal > part.size || end > kSize || part.at > end ||
      part.size > end - part.at || (part.literal > 0 && part.at + part.size != end)) {
    return false;
  }
  if (part.fresh || segment_ == nullptr) segment_.reset(new char[kSize]);
  std::memcpy(segment_.get() + begin, literal.data(), literal.size());
  used_ = end;
  return true;
}

Bytes EventWindow::Share(const WindowPart& part) const {
  WP_CHECK(part.at + part.size <= used_, "the part was applied");
  return Bytes(segment_, {segment_.get() + part.at, part.size});
}

WindowPart EventIndex::Find(std::string_view window, std::string_view events) {
  const auto size = static_cast<std::uint32_t>(events.size());
  const std::uint32_t place = places_[Hash(FirstOf(events)) % kPlaces];
  if (place > 0) {
    const std::string_view reported = window.substr(place - 1);
    const std::size_t shared = std::min(reported.size(), events.size());
    const std::size_t literal = events.size() - shared;
    if (reported.substr(0, shared) == events.substr(0, shared) &&
        window.size() + literal <= EventWindow::kSize) {
      Learn(events.substr(shared), window.size());
      return {.at = place - 1, .size = size, .literal = static_cast<std::uint32_t>(literal)};
    }
  }
  const bool fresh = window.size() + events.size() > EventWindow::kSize;
  if (fresh) std::fill(places_.begin(), places_.end(), 0);
  const std::size_t at = fresh ? 0 : window.size();
  Learn(events, at);
  return {.fresh = fresh, .at = static_cast<std::uint32_t>(at), .size = size, .literal = size};
}

void EventIndex::Learn(std::string_view events, std::size_t at) {
  while (!events.empty()) {
    const std::string_view event = FirstOf(events);
    places_[Hash(event) % kPlaces] = static_cast<std::uint32_t>(at + 1);
    at += event.size();
    events.remove_prefix(event.size());
  }
}

}  // namespace watchproof
