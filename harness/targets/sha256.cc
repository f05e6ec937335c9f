// SPDX-License-Identifier: Apache-2.0
#include "harness/targets/release_archives.h"

#include <openssl/evp.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <memory>

#include "harness/base/check.h"

namespace watchproof {

Result<std::string> Sha256OfFile(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return FromErrno(errno).WithContext("{}: reading", file.string());
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                        &EVP_MD_CTX_free);
  WP_CHECK(context && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1,
           "OpenSSL offers no SHA-256");
  std::array<char, 65536> chunk{};
  while (stream) {
    stream.read(chunk.data(), chunk.size());
    EVP_DigestUpdate(context.get(), chunk.data(), static_cast<std::size_t>(stream.gcount()));
  }
  if (stream.bad()) return Fail(StatusCode::kDataLoss, "{}: cannot be read", file.string());
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  EVP_DigestFinal_ex(context.get(), digest.data(), &length);
  std::string text;
  for (unsigned int i = 0; i < length; ++i) text += fmt::format("{:02x}", digest[i]);
  return text;
}

}  // namespace watchproof
