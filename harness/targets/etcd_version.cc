// SPDX-License-Identifier: Apache-2.0
#include "harness/targets/etcd_version.h"

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

Stated CapabilitiesOfEtcd(std::string_view version) {
  int major = 0;
  int minor = 0;
  const char* const end = version.data() + version.size();
  const auto first = std::from_chars(version.data(), end, major);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != '.') return {};
  if (std::from_chars(first.ptr + 1, end, minor).ec != std::errc() || major != 3) return {};
  Stated stated{.offered = {Capability::kCompaction, Capability::kPreviousValues,
                            Capability::kSlowWatcherGauge, Capability::kUsers, Capability::kLeases},
                .missing = {}};
  if (minor >= 4) {
    stated.offered.insert(
        {Capability::kClientChosenIds, Capability::kProgressRequest, Capability::kFragment});
  } else {
    // Late releases of 3.3 offer the other two, so these are probed.
    stated.missing.insert(Capability::kClientChosenIds);
  }
  return stated;
}

}  // namespace watchproof
