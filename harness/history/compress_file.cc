// SPDX-License-Identifier: Apache-2.0
#include "harness/history/compress_file.h"

#include <zstd.h>

#include <fstream>
#include <iterator>
#include <string>

namespace watchproof {

Status CompressFile(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return {};
  std::ifstream in(file, std::ios::binary);
  const std::string plain((std::istreambuf_iterator<char>(in)), {});
  std::string packed(ZSTD_compressBound(plain.size()), '\0');
  constexpr int kLevel = 3;
  const std::size_t size =
      ZSTD_compress(packed.data(), packed.size(), plain.data(), plain.size(), kLevel);
  if (ZSTD_isError(size)) {
    return Fail(StatusCode::kInternal, "{}: {}", file.string(), ZSTD_getErrorName(size));
  }
  std::ofstream out(file.string() + ".zst", std::ios::binary);
  out.write(packed.data(), static_cast<std::streamsize>(size));
  out.close();
  if (!out) return Fail(StatusCode::kDataLoss, "{}.zst could not be written", file.string());
  std::filesystem::remove(file, error);
  return FromErrorCode(error);
}

}  // namespace watchproof
