// SPDX-License-Identifier: Apache-2.0
#include "proxies/disk/disk_call.h"

#include <fmt/format.h>
#include <fnmatch.h>

namespace watchproof::proxy {

std::string DiskCall::ToString() const {
  switch (kind) {
    case DiskCallKind::kWrite:
      return fmt::format("write of {} bytes to {}", bytes, file);
    case DiskCallKind::kSync:
      return fmt::format("sync of {}{}", folder ? "the folder " : "", file);
    case DiskCallKind::kTruncate:
      return fmt::format("truncation of {} to {} bytes", file, bytes);
    case DiskCallKind::kMake:
      return fmt::format("making of {}{}", folder ? "the folder " : "", file);
    case DiskCallKind::kRename:
      return fmt::format("rename of {} to {}", from, file);
    case DiskCallKind::kRemove:
      return fmt::format("removal of {}{}", folder ? "the folder " : "", file);
  }
  return file;
}

bool Covers(std::string_view patterns, const std::string& file) {
  if (patterns == "all") return true;
  for (std::size_t from = 0; from <= patterns.size();) {
    const std::size_t end = std::min(patterns.find('|', from), patterns.size());
    const std::string pattern(patterns.substr(from, end - from));
    if (fnmatch(pattern.c_str(), file.c_str(), 0) == 0) return true;
    from = end + 1;
  }
  return false;
}

}  // namespace watchproof::proxy
