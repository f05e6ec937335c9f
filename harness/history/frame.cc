// SPDX-License-Identifier: Apache-2.0
#include "harness/history/frame.h"

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
// A slot costs four bytes and a search.
constexpr std::size_t kShortestTail = 64;
constexpr std::size_t kTailLengthSize = 4;

// How many bytes stand before the first event; all of them when there is none.
std::size_t BeforeEvents(std::string_view response) {
  FieldScanner scanner(response);
  std::size_t before = 0;
  while (scanner.Next()) {
    if (scanner.number() == kEventsField) return before;
    before = scanner.consumed(response);
  }
  return response.size();
}

}  // namespace

SharedTails::Match SharedTails::Find(std::string_view payload) const {
  const std::size_t size = payload.size() - BeforeEvents(payload);
  if (size < kShortestTail) return {};
  const std::string_view events = payload.substr(payload.size() - size);
  for (std::size_t back = 1; back <= kSlots; ++back) {
    const std::size_t slot = (next_ + kSlots - back) % kSlots;  // the newest first
    if (slots_[slot].events != size) continue;
    const std::string_view whole = slots_[slot].payload.view();
    if (whole.substr(whole.size() - size) == events) return {slot, size};
  }
  return {};
}

void SharedTails::Remember(const Bytes& payload) {
  const std::size_t size = payload.size() - BeforeEvents(payload.view());
  if (size < kShortestTail) return;
  slots_[next_] = {payload, size};
  next_ = (next_ + 1) % kSlots;
}

Bytes SharedTails::Tail(std::size_t slot, std::size_t size) const {
  if (slot >= kSlots || size > slots_[slot].events) return {};
  return slots_[slot].payload.Last(size);
}

void FrameWriter::Append(const Entry& entry, std::string& out) {
  if (entry.tail.size() > 0) return AppendJoined(entry, out);
  WP_CHECK(entry.text.size() <= kLongestPart && entry.payload.size() <= kLongestPart,
           "an entry of a history is shorter than a gibibyte");
  SharedTails::Match tail;
  if (entry.kind == EntryKind::kResponseReceived) {
    tail = tails_.Find(entry.payload.view());
    if (tail.size == 0) tails_.Remember(entry.payload);
  }
  const std::string_view payload = entry.payload.view().substr(0, entry.payload.size() - tail.size);
  const std::array<char, 4> marks{static_cast<char>(entry.kind), static_cast<char>(entry.method),
                                  static_cast<char>(entry.code),
                                  static_cast<char>(tail.size == 0 ? 0 : tail.slot + 1)};
  std::array<char, kFrameHeaderSize> header;
  char* to = PutNumber(marks, header.data());
  to = PutNumber(entry.stream.value, to);
  to = PutNumber(entry.call.value, to);
  to = PutNumber(static_cast<std::int64_t>(entry.at.count()), to);
  to = PutNumber(static_cast<std::uint32_t>(entry.text.size()), to);
  PutNumber(static_cast<std::uint32_t>(payload.size()), to);
  out.append(header.data(), header.size());
  out += entry.text;
  out += payload;
  if (tail.size == 0) return;
  std::array<char, kTailLengthSize> length;
  PutNumber(static_cast<std::uint32_t>(tail.size), length.data());
  out.append(length.data(), length.size());
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
  const auto slot = ReadNumber<std::uint8_t>(data, 3);
  const auto text = ReadNumber<std::uint32_t>(data, 20);
  const auto payload = ReadNumber<std::uint32_t>(data, 24);
  if (kind < 1 || kind > static_cast<std::uint8_t>(EntryKind::kMark) ||
      method > static_cast<std::uint8_t>(Method::kCompact) || code > 16 || text > kLongestPart ||
      payload > kLongestPart) {
    return Fail(StatusCode::kDataLoss, "an entry of unknown kind (kind {}, method {}, code {})",
                kind, method, code);
  }
  const std::size_t end = kFrameHeaderSize + std::size_t{text} + payload;
  const std::size_t size = end + (slot == 0 ? 0 : kTailLengthSize);
  if (data.size() < size) return std::optional<Frame>();
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
  if (slot > 0) {
    frame.entry.tail = tails_.Tail(slot - 1U, ReadNumber<std::uint32_t>(data, end));
    if (frame.entry.tail.size() == 0) {
      return Fail(StatusCode::kDataLoss, "an entry that shares what was not there");
    }
  } else if (frame.entry.kind == EntryKind::kResponseReceived) {
    tails_.Remember(frame.entry.payload);
  }
  return std::optional<Frame>(std::move(frame));
}

}  // namespace watchproof
