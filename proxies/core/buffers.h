// SPDX-License-Identifier: Apache-2.0
// The kernel buffer sizes of a proxy's sockets.
//
// Threads: values.
#pragma once

namespace watchproof::proxy {

enum class Buffers {
  kSharp,  // small: an effect withholds nearly everything that its sender has sent
  kRoomy,  // the kernel's default, and bytes that no stage reads are never copied: for throughput
};

}  // namespace watchproof::proxy
