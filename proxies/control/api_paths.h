// SPDX-License-Identifier: Apache-2.0
// The paths and places that requests to the control port contain, taken apart.
//
// Threads: any.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/status.h"
#include "proxies/control/resolve.h"

namespace watchproof::proxy {

// What stands for each '*' of the pattern, percent codes decoded; nothing if the path has another
// form. A query and empty parts of the path do not count.
std::optional<std::vector<std::string>> MatchPath(std::string_view pattern, std::string_view path);

// "127.0.0.1:80", "[::1]:80", ":80".
Result<HostPort> ParsePlace(std::string_view text);

}  // namespace watchproof::proxy
