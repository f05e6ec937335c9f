// SPDX-License-Identifier: Apache-2.0
#include "harness/report/packed_text.h"

#include <openssl/evp.h>
#include <zlib.h>

#include <vector>

#include "harness/base/check.h"

namespace watchproof {

std::string PackedText(std::string_view text) {
  uLongf size = compressBound(text.size());
  std::vector<unsigned char> packed(size);
  const int code = compress2(packed.data(), &size, reinterpret_cast<const Bytef*>(text.data()),
                             text.size(), Z_BEST_COMPRESSION);
  WP_CHECK(code == Z_OK, "zlib packs any text into the space that it asked for");
  std::string encoded(4 * ((size + 2) / 3) + 1, '\0');  // with the zero that OpenSSL adds
  const int length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(encoded.data()),
                                     packed.data(), static_cast<int>(size));
  encoded.resize(static_cast<std::size_t>(length));
  return encoded;
}

}  // namespace watchproof
