// SPDX-License-Identifier: Apache-2.0
// The version that an etcd binary prints.
//
//   const auto version = EtcdVersionIn(answer);   // to --version
//
// Threads: functions without state.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace watchproof {

// The version in the line "etcd Version: 3.4.44", which need not be the first one: some builds
// print warnings before it. Empty: there is no such line.
std::optional<std::string> EtcdVersionIn(std::string_view answer);

// Whether it may be the version of a release, and thereby a part of a path: "3.8.0-alpha.0".
bool IsEtcdRelease(std::string_view text);

// The minor version of a release of etcd 3: 5 of "3.5.16". Empty: it is none.
std::optional<int> MinorOf(std::string_view version);

}  // namespace watchproof
