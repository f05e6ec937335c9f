// SPDX-License-Identifier: Apache-2.0
#include "proxies/core/kernel_pipe.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "harness/base/check.h"

namespace watchproof::proxy {
namespace {

// Yields to other coroutines after so many steps.
constexpr int kSteps = 8;
// More than is carried at a time, because a partly filled page counts like a whole one.
constexpr int kRoom = 1 << 20;
constexpr unsigned kHow = SPLICE_F_NONBLOCK | SPLICE_F_MOVE;

}  // namespace

KernelPipe& KernelPipe::OfThisThread() {
  static thread_local KernelPipe pipe;
  return pipe;
}

KernelPipe::KernelPipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_NONBLOCK | O_CLOEXEC) != 0) return;
  out_ = ends[0];
  in_ = ends[1];
  ::fcntl(in_, F_SETPIPE_SZ, kRoom);  // best effort
}

KernelPipe::~KernelPipe() {
  if (!open()) return;
  ::close(out_);
  ::close(in_);
}

Carried KernelPipe::Carry(int source, int sink) {
  WP_CHECK(open(), "bytes are carried by a pipe that is there");
  Carried carried;
  for (int step = 0; step < kSteps && carried.rest.empty(); ++step) {
    const ssize_t got = ::splice(source, nullptr, in_, nullptr, kBytes, kHow);
    if (got <= 0) {
      carried.ended = got == 0;
      carried.error = got < 0 ? errno : 0;
      break;
    }
    auto left = static_cast<std::size_t>(got);
    while (left > 0) {
      const ssize_t put = ::splice(out_, nullptr, sink, nullptr, left, kHow);
      if (put < 0 && errno == EINTR) continue;
      if (put <= 0) break;
      carried.bytes += put;
      left -= static_cast<std::size_t>(put);
    }
    if (left > 0) carried.rest = TakeRest(left);
  }
  return carried;
}

std::string KernelPipe::TakeRest(std::size_t size) {
  std::string rest(size, '\0');
  std::size_t taken = 0;
  while (taken < size) {
    const ssize_t got = ::read(out_, rest.data() + taken, size - taken);
    if (got < 0 && errno == EINTR) continue;
    WP_CHECK(got > 0, "a pipe gives back what was put into it");
    taken += static_cast<std::size_t>(got);
  }
  return rest;
}

}  // namespace watchproof::proxy
