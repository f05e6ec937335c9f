// SPDX-License-Identifier: Apache-2.0
// What the API of a release of etcd offers.
//
//   if (CapabilitiesOfEtcd("3.5.16").offered.contains(Capability::kFragment)) ...
//
// Threads: a function without state.
#pragma once

#include <string_view>

#include "harness/targets/capability.h"

namespace watchproof {

// Both sets are empty for a text that is no version of etcd 3. Progress notices in time for a test
// depend on a flag and are in neither; so is what the process, not the API, offers.
Stated CapabilitiesOfEtcd(std::string_view version);

}  // namespace watchproof
