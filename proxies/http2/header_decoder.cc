// SPDX-License-Identifier: Apache-2.0
#include "proxies/http2/header_decoder.h"

#include <algorithm>

#include "harness/base/check.h"
#include "proxies/http2/frame.h"

namespace watchproof::proxy {
namespace {

std::string_view View(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

}  // namespace

HeaderDecoder::HeaderDecoder() {
  nghttp2_hd_inflater* inflater = nullptr;
  WP_CHECK(nghttp2_hd_inflate_new(&inflater) == 0, "memory for the headers of a connection");
  inflater_.reset(inflater);
}

const char* HeaderDecoder::Read(std::string_view frames, const OnHeader& on_header) {
  const auto block = HeaderBlockOf(frames, block_);
  if (!block) return "a malformed HEADERS frame";
  return Decode(*block, on_header) ? nullptr : "headers that cannot be decoded";
}

bool HeaderDecoder::Decode(std::string_view block, const OnHeader& on_header) {
  constexpr int kWhole = 1;
  const auto* at = reinterpret_cast<const std::uint8_t*>(block.data());
  std::size_t left = block.size();
  while (true) {
    nghttp2_nv pair;
    int flags = 0;
    const ssize_t read = nghttp2_hd_inflate_hd2(inflater_.get(), &pair, &flags, at, left, kWhole);
    if (read < 0) return false;
    at += read;
    left -= static_cast<std::size_t>(read);
    if ((flags & NGHTTP2_HD_INFLATE_EMIT) != 0) {
      on_header(View(pair.name, pair.namelen), View(pair.value, pair.valuelen));
    }
    if ((flags & NGHTTP2_HD_INFLATE_FINAL) != 0) break;
    if ((flags & NGHTTP2_HD_INFLATE_EMIT) == 0 && left == 0) return false;
  }
  nghttp2_hd_inflate_end_headers(inflater_.get());
  return true;
}

void HeaderDecoder::AllowTable(std::uint32_t bytes) {
  const std::uint32_t wanted = std::min(bytes, kLargestTable);
  if (wanted <= table_) return;
  table_ = wanted;
  nghttp2_hd_inflate_change_table_size(inflater_.get(), table_);
}

}  // namespace watchproof::proxy
