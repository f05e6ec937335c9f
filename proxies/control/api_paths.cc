// SPDX-License-Identifier: Apache-2.0
// The paths and places that requests contain, taken apart.
#include <algorithm>

#include "harness/base/parse.h"
#include "proxies/control/control_api.h"

namespace watchproof::proxy {
namespace {

// The parts between slashes, without a query and without empty ones.
std::vector<std::string_view> Parts(std::string_view path) {
  path = path.substr(0, path.find('?'));
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    const std::string_view part = path.substr(0, path.find('/'));
    if (!part.empty()) parts.push_back(part);
    path.remove_prefix(std::min(path.size(), part.size() + 1));
  }
  return parts;
}

}  // namespace

std::optional<std::vector<std::string>> MatchPath(std::string_view pattern, std::string_view path) {
  const std::vector<std::string_view> wanted = Parts(pattern);
  const std::vector<std::string_view> given = Parts(path);
  if (wanted.size() != given.size()) return std::nullopt;
  std::vector<std::string> words;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] == "*") {
      words.push_back(PercentDecoded(given[i]));
    } else if (wanted[i] != given[i]) {
      return std::nullopt;
    }
  }
  return words;
}

Result<HostPort> ParsePlace(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  HostPort place{.host = std::string(text.substr(0, std::min(colon, text.size())))};
  const std::string_view port = colon == text.npos ? "" : text.substr(colon + 1);
  const auto number = ParseNumber<int>(port);
  if (!number || *number < 0 || *number > 65535) {
    return Fail(StatusCode::kInvalidArgument, "bad request body: '{}' is not HOST:PORT", text);
  }
  place.port = *number;
  if (place.host.starts_with('[') && place.host.ends_with(']')) {
    place.host = place.host.substr(1, place.host.size() - 2);
  }
  return place;
}

}  // namespace watchproof::proxy
