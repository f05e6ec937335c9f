// SPDX-License-Identifier: Apache-2.0
#include "harness/history/frame.h"

#include "harness/base/check.h"
#include "harness/history/wire.h"

namespace watchproof {
namespace {

template <typename Number>
void AppendNumber(Number number, std::string& out) {
  for (std::size_t i = 0; i < sizeof(Number); ++i) {
    out.push_back(static_cast<char>((static_cast<std::uint64_t>(number) >> (8 * i)) & 0xffu));
  }
}

std::uint64_t ReadNumber(std::string_view data, std::size_t offset, std::size_t size) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < size; ++i) {
    number |= static_cast<std::uint64_t>(static_cast<unsigned char>(data[offset + i])) << (8 * i);
  }
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
    if (slots_[slot].events == size && Tail(slot, size) == events) return {slot, size};
  }
  return {};
}

void SharedTails::Remember(const Bytes& payload) {
  const std::size_t size = payload.size() - BeforeEvents(payload.view());
  if (size < kShortestTail) return;
  slots_[next_] = {payload, size};
  next_ = (next_ + 1) % kSlots;
}

std::string_view SharedTails::Tail(std::size_t slot, std::size_t size) const {
  if (slot >= kSlots || size > slots_[slot].events) return {};
  const std::string_view payload = slots_[slot].payload.view();
  return payload.substr(payload.size() - size);
}

void FrameWriter::Append(const Entry& entry, std::string& out) {
  WP_CHECK(entry.text.size() <= kLongestPart && entry.payload.size() <= kLongestPart,
           "an entry of a history is shorter than a gibibyte");
  out.push_back(static_cast<char>(entry.kind));
  out.push_back(static_cast<char>(entry.method));
  out.push_back(static_cast<char>(entry.code));
  SharedTails::Match tail;
  if (entry.kind == EntryKind::kResponseReceived) {
    tail = tails_.Find(entry.payload.view());
    if (tail.size == 0) tails_.Remember(entry.payload);
  }
  const std::string_view payload = entry.payload.view().substr(0, entry.payload.size() - tail.size);
  out.push_back(static_cast<char>(tail.size == 0 ? 0 : tail.slot + 1));
  AppendNumber(entry.stream.value, out);
  AppendNumber(entry.call.value, out);
  AppendNumber(static_cast<std::uint64_t>(entry.at.count()), out);
  AppendNumber(static_cast<std::uint32_t>(entry.text.size()), out);
  AppendNumber(static_cast<std::uint32_t>(payload.size()), out);
  out += entry.text;
  out += payload;
  if (tail.size > 0) AppendNumber(static_cast<std::uint32_t>(tail.size), out);
}

Result<std::optional<Frame>> FrameReader::Parse(std::string_view data) {
  if (data.size() < kFrameHeaderSize) return std::optional<Frame>();
  const std::uint64_t kind = ReadNumber(data, 0, 1);
  const std::uint64_t method = ReadNumber(data, 1, 1);
  const std::uint64_t code = ReadNumber(data, 2, 1);
  const std::uint64_t slot = ReadNumber(data, 3, 1);
  const std::uint64_t text = ReadNumber(data, 20, 4);
  const std::uint64_t payload = ReadNumber(data, 24, 4);
  if (kind < 1 || kind > static_cast<std::uint64_t>(EntryKind::kMark) ||
      method > static_cast<std::uint64_t>(Method::kCompact) || code > 16 || text > kLongestPart ||
      payload > kLongestPart) {
    return Fail(StatusCode::kDataLoss, "an entry of unknown kind (kind {}, method {}, code {})",
                kind, method, code);
  }
  const std::uint64_t end = kFrameHeaderSize + text + payload;
  const std::uint64_t size = end + (slot == 0 ? 0 : kTailLengthSize);
  if (data.size() < size) return std::optional<Frame>();
  Frame frame{.entry = {.kind = static_cast<EntryKind>(kind),
                        .method = static_cast<Method>(method),
                        .code = static_cast<StatusCode>(code),
                        .stream = StreamId(static_cast<std::uint32_t>(ReadNumber(data, 4, 4))),
                        .call = CallId(static_cast<std::uint32_t>(ReadNumber(data, 8, 4))),
                        .at = Duration(static_cast<std::int64_t>(ReadNumber(data, 12, 8))),
                        .payload = {},
                        .text = std::string(data.substr(kFrameHeaderSize, text))},
              .size = size};
  const std::string_view begin = data.substr(kFrameHeaderSize + text, payload);
  if (slot > 0) {
    const std::uint64_t length = ReadNumber(data, end, kTailLengthSize);
    const std::string_view tail = tails_.Tail(slot - 1, length);
    if (tail.empty()) return Fail(StatusCode::kDataLoss, "an entry that shares what was not there");
    std::string whole(begin);
    whole += tail;
    frame.entry.payload = Bytes::Take(std::move(whole));
  } else if (payload > 0) {
    frame.entry.payload = Bytes::Copy(begin);
    if (frame.entry.kind == EntryKind::kResponseReceived) tails_.Remember(frame.entry.payload);
  }
  return std::optional<Frame>(std::move(frame));
}

}  // namespace watchproof
