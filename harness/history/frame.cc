// SPDX-License-Identifier: Apache-2.0
#include "harness/history/frame.h"

#include "harness/base/check.h"

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

}  // namespace

void AppendFrame(const Entry& entry, std::string& out) {
  WP_CHECK(entry.text.size() <= kLongestPart && entry.payload.size() <= kLongestPart,
           "an entry of a history is shorter than a gibibyte");
  out.push_back(static_cast<char>(entry.kind));
  out.push_back(static_cast<char>(entry.method));
  out.push_back(static_cast<char>(entry.code));
  out.push_back('\0');
  AppendNumber(entry.stream.value, out);
  AppendNumber(entry.call.value, out);
  AppendNumber(static_cast<std::uint64_t>(entry.at.count()), out);
  AppendNumber(static_cast<std::uint32_t>(entry.text.size()), out);
  AppendNumber(static_cast<std::uint32_t>(entry.payload.size()), out);
  out += entry.text;
  out += entry.payload.view();
}

Result<std::optional<Frame>> ParseFrame(std::string_view data) {
  if (data.size() < kFrameHeaderSize) return std::optional<Frame>();
  const std::uint64_t kind = ReadNumber(data, 0, 1);
  const std::uint64_t method = ReadNumber(data, 1, 1);
  const std::uint64_t code = ReadNumber(data, 2, 1);
  const std::uint64_t text = ReadNumber(data, 20, 4);
  const std::uint64_t payload = ReadNumber(data, 24, 4);
  if (kind < 1 || kind > static_cast<std::uint64_t>(EntryKind::kMark) ||
      method > static_cast<std::uint64_t>(Method::kCompact) || code > 16 || data[3] != '\0' ||
      text > kLongestPart || payload > kLongestPart) {
    return Fail(StatusCode::kDataLoss, "an entry of unknown kind (kind {}, method {}, code {})",
                kind, method, code);
  }
  if (data.size() - kFrameHeaderSize < text + payload) return std::optional<Frame>();
  Frame frame{.entry = {.kind = static_cast<EntryKind>(kind),
                        .method = static_cast<Method>(method),
                        .code = static_cast<StatusCode>(code),
                        .stream = StreamId(static_cast<std::uint32_t>(ReadNumber(data, 4, 4))),
                        .call = CallId(static_cast<std::uint32_t>(ReadNumber(data, 8, 4))),
                        .at = Duration(static_cast<std::int64_t>(ReadNumber(data, 12, 8))),
                        .payload = {},
                        .text = std::string(data.substr(kFrameHeaderSize, text))},
              .size = kFrameHeaderSize + text + payload};
  if (payload > 0) {
    frame.entry.payload = Bytes::Copy(data.substr(kFrameHeaderSize + text, payload));
  }
  return std::optional<Frame>(std::move(frame));
}

}  // namespace watchproof
