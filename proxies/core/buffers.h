// SPDX-License-Identifier: Apache-2.0
// How much the kernel may hold on behalf of a proxy.
//
// Threads: values.
#pragma once

namespace watchproof::proxy {

enum class Buffers {
  kSharp,  // little: what an effect withholds is nearly all that its sender has got rid of
  kRoomy,  // the kernel's own choice, and what nobody looks at is never copied out: for throughput
};

}  // namespace watchproof::proxy
