// SPDX-License-Identifier: Apache-2.0
// How to see a known bug on this machine.
//
//   HowToSee(bug);   // "watchproof run --target etcd@3.5.16 --filter Bookmarkable.FutureStart"
//
// Threads: any. Reads the names in the cache of releases.
#pragma once

#include <string>

#include "harness/bugs/answer_key.h"

namespace watchproof {

// On a release that is cached, or else of the manifest, or else another; it is fetched first where
// that is necessary. Empty: no case shows the bug.
std::string HowToSee(const Bug& bug);

}  // namespace watchproof
