// SPDX-License-Identifier: Apache-2.0
// The versions of this executable and its libraries.
//
// Threads: pure functions.
#pragma once

#include <map>
#include <string>

namespace watchproof {

// "watchproof": "0.1.0", "commit": "...", "compiler": "...", and the libraries.
const std::map<std::string, std::string>& Versions();

}  // namespace watchproof
