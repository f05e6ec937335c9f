// SPDX-License-Identifier: Apache-2.0
// A server that has nothing to do: it answers the first request of any stream with one created
// watch and then writes the same full response for ever. What a client reads from it is the
// client's own ceiling.
//
//   ServeCanned("127.0.0.1:2390", 100);     // until the process is killed
//
// Benchmarks only.
#pragma once

#include <cstddef>
#include <string>

namespace watchproof::store {

// Blocks for ever.
void ServeCanned(const std::string& address, std::size_t value_bytes);

}  // namespace watchproof::store
