// SPDX-License-Identifier: Apache-2.0
#include "harness/history/frame.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "harness/base/check.h"
#include "harness/history/wire.h"

namespace watchproof {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they are");

// Writes the number at `to` and returns what follows it.
template <typename Number>
char* PutNumber(Number number, char* to) {
  std::memcpy(to, &number, sizeof(number));
  return to + sizeof(number);
}

template <typename Number>
Number ReadNumber(std::string_view data, std::size_t offset) {
  Number number;
  std::memcpy(&number, data.data() + offset, sizeof(number));
  return number;
}

constexpr std::uint32_t kEventsField = 11;
// A part costs twelve bytes and a search.
constexpr std::size_t kShortestPart = 64;
constexpr std::size_t kLongestShared = EventWindow::kSize / 4;
constexpr std::size_t kPartSize = 12;

// How many bytes stand before the first event; all of them when there is none.
std::size_t BeforeEvents(std::string_view response) {
  std::size_t before = 0;
  while (const auto field = FirstField(response.substr(before))) {
    if (field->number == kEventsField) return before;
    before += field->size;
  }
  return response.size();
}

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

void FrameWriter::Append(const Entry& entry, std::string& out) {
  if (entry.tail.size() > 0) return AppendJoined(entry, out);
  WP_CHECK(entry.text.size() <= kLongestPart && entry.payload.size() <= kLongestPart,
           "an entry of a history is shorter than a gibibyte");
  const std::string_view message = entry.payload.view();
  std::string_view payload = message;
  char window = 0;
  if (entry.kind == EntryKind::kResponseReceived) {
    const std::size_t before = BeforeEvents(message);
    const std::size_t events = message.size() - before;
    if (events >= kShortestPart && events <= kLongestShared) {
      payload = message.substr(0, before);
      window = 1;
    }
  }
  WindowPart part;
  if (window > 0) part = index_.Find(window_.view(), message.substr(payload.size()));
  if (part.fresh) window = 2;
  std::array<char, kFrameHeaderSize> header{static_cast<char>(entry.kind),
                                            static_cast<char>(entry.method),
                                            static_cast<char>(entry.code), window};
  char* to = PutNumber(entry.stream.value, header.data() + 4);
  to = PutNumber(entry.call.value, to);
  to = PutNumber(static_cast<std::int64_t>(entry.at.count()), to);
  to = PutNumber(static_cast<std::uint32_t>(entry.text.size()), to);
  PutNumber(static_cast<std::uint32_t>(payload.size()), to);
  out.append(header.data(), header.size());
  out += entry.text;
  out += payload;
  if (window > 0) AppendPart(part, message.substr(message.size() - part.literal), out);
}

void FrameWriter::AppendPart(const WindowPart& part, std::string_view literal, std::string& out) {
  WP_CHECK(window_.Apply(part, literal), "the index knows the window");
  std::array<char, kPartSize> numbers;
  PutNumber(part.literal, PutNumber(part.size, PutNumber(part.at, numbers.data())));
  out.append(numbers.data(), numbers.size());
  out += literal;
}

// An entry that was read from one recording goes into another.
void FrameWriter::AppendJoined(const Entry& entry, std::string& out) {
  std::string whole(entry.payload.view());
  whole += entry.tail.view();
  Entry joined = entry;
  joined.payload = Bytes::Take(std::move(whole));
  joined.tail = {};
  Append(joined, out);
}

Result<std::optional<Frame>> FrameReader::Parse(std::string_view data,
                                                const std::shared_ptr<const void>& owner) {
  if (data.size() < kFrameHeaderSize) return std::optional<Frame>();
  const auto kind = ReadNumber<std::uint8_t>(data, 0);
  const auto method = ReadNumber<std::uint8_t>(data, 1);
  const auto code = ReadNumber<std::uint8_t>(data, 2);
  const auto window = ReadNumber<std::uint8_t>(data, 3);
  const auto text = ReadNumber<std::uint32_t>(data, 20);
  const auto payload = ReadNumber<std::uint32_t>(data, 24);
  if (kind < 1 || kind > static_cast<std::uint8_t>(EntryKind::kAnnotation) ||
      method >= std::size(kMethods) || code > 16 || window > 2 || text > kLongestPart ||
      payload > kLongestPart) {
    return Fail(StatusCode::kDataLoss, "an entry of unknown kind (kind {}, method {}, code {})",
                kind, method, code);
  }
  const std::size_t end = kFrameHeaderSize + std::size_t{text} + payload;
  std::size_t size = end + (window == 0 ? 0 : kPartSize);
  if (data.size() < size) return std::optional<Frame>();
  WindowPart part{.fresh = window == 2};
  if (window > 0) {
    part.at = ReadNumber<std::uint32_t>(data, end);
    part.size = ReadNumber<std::uint32_t>(data, end + 4);
    part.literal = ReadNumber<std::uint32_t>(data, end + 8);
    size += part.literal;
    if (part.literal <= EventWindow::kSize && data.size() < size) return std::optional<Frame>();
  }
  Frame frame{.entry = {.kind = static_cast<EntryKind>(kind),
                        .method = static_cast<Method>(method),
                        .code = static_cast<StatusCode>(code),
                        .stream = StreamId(ReadNumber<std::uint32_t>(data, 4)),
                        .call = CallId(ReadNumber<std::uint32_t>(data, 8)),
                        .at = Duration(ReadNumber<std::int64_t>(data, 12)),
                        .payload = {},
                        .tail = {},
                        .text = std::string(data.substr(kFrameHeaderSize, text))},
              .size = size};
  if (payload > 0) {
    const std::string_view view = data.substr(kFrameHeaderSize + text, payload);
    // Requests are small and kept for long (the model holds every write): they must not hold all of
    // `data`.
    const bool share = owner != nullptr && frame.entry.kind == EntryKind::kResponseReceived;
    frame.entry.payload = share ? Bytes(owner, view) : Bytes::Copy(view);
  }
  if (window > 0) {
    // A size beyond the window is rejected before it is read.
    if (part.literal > EventWindow::kSize ||
        !window_.Apply(part, data.substr(size - part.literal, part.literal))) {
      return Fail(StatusCode::kDataLoss, "an entry that refers to bytes outside the window");
    }
    frame.entry.tail = window_.Share(part);
  }
  return std::optional<Frame>(std::move(frame));
}

}  // namespace watchproof
