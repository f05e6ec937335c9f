// SPDX-License-Identifier: Apache-2.0
#include "harness/history/packed_text_file.h"

#include <fcntl.h>
#include <unistd.h>
#include <zstd.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <string>

namespace watchproof {
namespace {

// Far above the longest plan: a damaged size must not take all memory.
constexpr unsigned long long kMostBytes = 1ULL << 30;
constexpr std::string_view kMagic = "\x28\xb5\x2f\xfd";  // of a frame

Status NotPacked(const std::filesystem::path& file) {
  return Fail(StatusCode::kDataLoss, "{}: expected text that zstd packed", file.string());
}

Result<std::string> Packed(std::string_view plain, const std::filesystem::path& file) {
  std::string frame(ZSTD_compressBound(plain.size()), '\0');
  constexpr int kLevel = 3;
  const std::size_t size =
      ZSTD_compress(frame.data(), frame.size(), plain.data(), plain.size(), kLevel);
  if (ZSTD_isError(size) != 0) {
    return Fail(StatusCode::kInternal, "{}: {}", file.string(), ZSTD_getErrorName(size));
  }
  frame.resize(size);
  return frame;
}

}  // namespace

Status AppendPacked(const std::filesystem::path& file, std::string_view part) {
  WP_ASSIGN_OR_RETURN(const std::string frame, Packed(part, file));
  const int fd = open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (fd < 0) return FromErrno(errno).WithContext("opening {}", file.string());
  const ssize_t written = write(fd, frame.data(), frame.size());
  const int error = written < 0 ? errno : ENOSPC;
  close(fd);
  if (written == static_cast<ssize_t>(frame.size())) return {};
  return FromErrno(error).WithContext("writing {}", file.string());
}

Result<std::uintmax_t> VisitPacked(const std::filesystem::path& file,
                                   const std::function<bool(std::string_view part)>& visit) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return FromErrno(errno).WithContext("cannot read {}", file.string());
  const std::string packed((std::istreambuf_iterator<char>(in)), {});
  std::string_view rest = packed;
  std::string part;
  while (!rest.empty()) {
    const std::size_t frame = ZSTD_findFrameCompressedSize(rest.data(), rest.size());
    if (ZSTD_isError(frame) != 0) {
      if (!kMagic.starts_with(rest.substr(0, kMagic.size()))) return NotPacked(file);
      break;  // what was cut off begins as a frame all the same
    }
    const unsigned long long size = ZSTD_getFrameContentSize(rest.data(), frame);
    if (size > kMostBytes) return NotPacked(file);  // errors are numbers above it, too
    part.resize(size);
    if (ZSTD_decompress(part.data(), size, rest.data(), frame) != size) return NotPacked(file);
    rest.remove_prefix(frame);
    if (!visit(part)) break;
  }
  return packed.size() - rest.size();
}

Status CompressFile(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return {};
  std::ifstream in(file, std::ios::binary);
  WP_ASSIGN_OR_RETURN(const std::string packed,
                      Packed(std::string((std::istreambuf_iterator<char>(in)), {}), file));
  std::ofstream out(file.string() + ".zst", std::ios::binary);
  out << packed;
  out.close();
  if (!out) return Fail(StatusCode::kDataLoss, "{}.zst could not be written", file.string());
  std::filesystem::remove(file, error);
  return FromErrorCode(error);
}

}  // namespace watchproof
