// SPDX-License-Identifier: Apache-2.0
#include "proxies/disk/disk_call.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>

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

Status CheckPatterns(std::string_view patterns) {
  for (std::size_t from = 0; from <= patterns.size();) {
    const std::size_t end = std::min(patterns.find('|', from), patterns.size());
    const std::string_view pattern = patterns.substr(from, end - from);
    if (pattern.empty() || pattern.starts_with('/') || pattern.starts_with("..")) {
      return Fail(StatusCode::kInvalidArgument,
                  "'{}': expected names below the folder, as in 'member/wal/*|member/snap/*'",
                  pattern);
    }
    from = end + 1;
  }
  return {};
}

std::size_t ClassOf(const FileClasses& classes, const std::string& file) {
  const auto covers = [&file](const FileClass& one) { return Covers(one.patterns, file); };
  return static_cast<std::size_t>(std::ranges::find_if(classes, covers) - classes.begin());
}

Result<std::string> PatternsOf(const FileClasses& classes, const std::string& files) {
  const auto named = std::ranges::find(classes, files, &FileClass::name);
  const std::string& patterns = named == classes.end() ? files : named->patterns;
  WP_RETURN_IF_ERROR(CheckPatterns(patterns).WithContext("files"));
  return patterns;
}

std::string NameOfClass(const FileClasses& classes, std::size_t place) {
  if (place < classes.size()) return classes[place].name;
  return classes.empty() ? "all files" : "other files";
}

}  // namespace watchproof::proxy
