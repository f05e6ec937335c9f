// SPDX-License-Identifier: Apache-2.0
#include "harness/releases/etcd_version.h"

#include <charconv>

namespace watchproof {

std::optional<std::string> EtcdVersionIn(std::string_view answer) {
  constexpr std::string_view kLabel = "etcd Version: ";
  while (!answer.empty()) {
    const auto end = answer.find('\n');
    std::string_view line = answer.substr(0, end);
    answer = end == std::string_view::npos ? std::string_view() : answer.substr(end + 1);
    if (!line.starts_with(kLabel)) continue;
    line.remove_prefix(kLabel.size());
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
    return std::string(line);
  }
  return std::nullopt;
}

bool IsEtcdRelease(std::string_view text) {
  return !text.empty() && text.find("..") == text.npos &&
         text.find_first_not_of("0123456789abcdefghijklmnopqrstuvwxyz.-+~") == text.npos;
}

std::optional<int> MinorOf(std::string_view version) {
  constexpr std::string_view kMajor = "3.";
  int minor = 0;
  if (!version.starts_with(kMajor)) return std::nullopt;
  const char* const end = version.data() + version.size();
  if (std::from_chars(version.data() + kMajor.size(), end, minor).ec != std::errc()) return {};
  return minor;
}

}  // namespace watchproof
