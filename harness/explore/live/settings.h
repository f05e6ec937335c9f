// SPDX-License-Identifier: Apache-2.0
// How the servers of an exploration are set up: each setting as by default and otherwise, alone and
// beside every other one.
//
//   const Server settings = DrawSettings(members, prng.Fork("settings"));
//
// Threads: a function without state.
#pragma once

#include "harness/base/prng.h"
#include "harness/script/script.h"

namespace watchproof::explore {

Server DrawSettings(int members, Prng prng);

}  // namespace watchproof::explore
