// SPDX-License-Identifier: Apache-2.0
// The header blocks of one direction of a connection (HPACK), decoded in the order they were sent.
//
// Every block must be decoded, since each one changes the table for the next one.
//
// Not thread-safe.
#pragma once

#include <nghttp2/nghttp2.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace watchproof::proxy {

class HeaderDecoder {
 public:
  using OnHeader = std::function<void(std::string_view name, std::string_view value)>;

  HeaderDecoder();

  // Reads HEADERS with its CONTINUATIONs, whole. Null, or what is wrong; then no later one can be
  // read either.
  const char* Read(std::string_view frames, const OnHeader& on_header);
  // The receiver allows a table of so many bytes. A smaller one needs no mention: the sender
  // announces it in its next block.
  void AllowTable(std::uint32_t bytes);

  // A larger table is not followed; no known peer allows one.
  static constexpr std::uint32_t kLargestTable = 1 << 20;

 private:
  bool Decode(std::string_view block, const OnHeader& on_header);

  struct Deleter {
    void operator()(nghttp2_hd_inflater* inflater) const { nghttp2_hd_inflate_del(inflater); }
  };
  std::unique_ptr<nghttp2_hd_inflater, Deleter> inflater_;
  std::uint32_t table_ = 4096;
  std::string block_;  // joined from several frames
};

}  // namespace watchproof::proxy
