// SPDX-License-Identifier: Apache-2.0
// Moves bytes from socket to socket inside the kernel, which copies none of them.
//
//   const Carried carried = KernelPipe::OfThisThread().Carry(source, sink);
//   if (!carried.rest.empty()) ...   // read, and not taken by the sink
//
// Holds nothing between calls, so one serves all connections of a thread. Threads: the one that
// asked for it. Requires: SIGPIPE is blocked there, for the kernel raises it when the sink is gone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace watchproof::proxy {

struct Carried {
  std::int64_t bytes = 0;  // into the sink
  std::string rest{};      // taken from the source behind those, refused by the sink
  int error = 0;           // of the source; EAGAIN when it has no more just now
  bool ended = false;      // the source will have no more
};

class KernelPipe {
 public:
  // At most this much is in `rest`.
  static constexpr std::size_t kBytes = 256 * 1024;

  // Made on first use.
  static KernelPipe& OfThisThread();

  KernelPipe();
  ~KernelPipe();
  KernelPipe(const KernelPipe&) = delete;
  KernelPipe& operator=(const KernelPipe&) = delete;

  // False when there were no descriptors left: nothing can be carried.
  bool open() const { return in_ >= 0; }
  // Until either of them would block, but not for ever. Requires: open, both non-blocking.
  Carried Carry(int source, int sink);

 private:
  std::string TakeRest(std::size_t size);

  int out_ = -1;
  int in_ = -1;
};

}  // namespace watchproof::proxy
