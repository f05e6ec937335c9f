// SPDX-License-Identifier: Apache-2.0
#include "proxies/disk/caller.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <limits.h>
#include <sys/uio.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <system_error>

namespace watchproof::proxy {

std::string Caller::Bytes(std::uint64_t address, std::size_t size) const {
  std::string bytes(size, '\0');
  std::size_t have = 0;
  while (have < size) {
    const iovec here{.iov_base = bytes.data() + have, .iov_len = size - have};
    const iovec there{.iov_base = reinterpret_cast<void*>(address + have), .iov_len = size - have};
    const ssize_t got = process_vm_readv(thread_, &here, 1, &there, 1, 0);
    if (got <= 0) return {};
    have += static_cast<std::size_t>(got);
  }
  return bytes;
}

std::string Caller::Gathered(std::uint64_t vector, std::size_t count) const {
  const std::string table = Bytes(vector, std::min<std::size_t>(count, IOV_MAX) * sizeof(iovec));
  const auto* const parts = reinterpret_cast<const iovec*>(table.data());
  std::string all;
  for (std::size_t i = 0; i < table.size() / sizeof(iovec); ++i) {
    all += Bytes(reinterpret_cast<std::uint64_t>(parts[i].iov_base), parts[i].iov_len);
  }
  return all;
}

std::string Caller::Text(std::uint64_t address) const {
  // In pieces that cross no page: the next one may not be mapped.
  constexpr std::size_t kPage = 4096;
  std::string text;
  while (text.size() < PATH_MAX) {
    const std::uint64_t from = address + text.size();
    const std::string piece = Bytes(from, kPage - from % kPage);
    const std::size_t end = piece.find('\0');
    text += piece.substr(0, end);
    if (piece.empty() || end != std::string::npos) break;
  }
  return text;
}

std::filesystem::path Caller::Path(int folder, std::uint64_t address) const {
  std::filesystem::path path = Text(address);
  if (path.empty()) return {};
  std::error_code error;
  if (path.is_relative()) {
    const auto base = std::filesystem::read_symlink(
        folder == AT_FDCWD ? fmt::format("/proc/{}/cwd", thread_)
                           : fmt::format("/proc/{}/fd/{}", thread_, folder),
        error);
    if (error) return {};
    path = base / path;
  }
  path = path.lexically_normal();
  if (!path.has_filename()) path = path.parent_path();  // "folder/"
  const auto parent = std::filesystem::canonical(path.parent_path(), error);
  return error ? path : parent / path.filename();
}

bool Caller::ProgramRuns() const {
  std::error_code gone;
  for (auto task = std::filesystem::directory_iterator(fmt::format("/proc/{}/task", thread_), gone);
       task != std::filesystem::directory_iterator() && !gone; task.increment(gone)) {
    std::ifstream file(task->path() / "stat");
    const std::string stat((std::istreambuf_iterator<char>(file)), {});
    const std::size_t name_ends = stat.rfind(')');  // the state is behind it: ") R"
    if (name_ends != std::string::npos && stat.substr(name_ends, 3) == ") R") return true;
  }
  return false;
}

}  // namespace watchproof::proxy
