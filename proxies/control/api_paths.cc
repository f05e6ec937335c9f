// SPDX-License-Identifier: Apache-2.0
#include "proxies/control/api_paths.h"

#include <algorithm>
#include <charconv>

namespace watchproof::proxy {
namespace {

// "%2F" becomes "/"; what is no such code stays as it is.
std::string Decoded(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned code = 0;
    if (text[i] == '%' && i + 2 < text.size()) {
      const char* digits = text.data() + i + 1;
      const auto [end, error] = std::from_chars(digits, digits + 2, code, 16);
      if (error == std::errc() && end == digits + 2) {
        plain += static_cast<char>(code);
        i += 2;
        continue;
      }
    }
    plain += text[i];
  }
  return plain;
}

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
      words.push_back(Decoded(given[i]));
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
  const auto [rest, error] = std::from_chars(port.data(), port.data() + port.size(), place.port);
  const bool number = error == std::errc() && rest == port.data() + port.size();
  if (!number || place.port < 0 || place.port > 65535) {
    return Fail(StatusCode::kInvalidArgument, "bad request body: '{}' is not HOST:PORT", text);
  }
  if (place.host.starts_with('[') && place.host.ends_with(']')) {
    place.host = place.host.substr(1, place.host.size() - 2);
  }
  return place;
}

}  // namespace watchproof::proxy
