// SPDX-License-Identifier: Apache-2.0
// A loopback address that belongs to one attempt: fixed ports on it never collide with another
// attempt's.
//
//   WP_ASSIGN_OR_RETURN(LoopbackAddress address, LoopbackAddress::Reserve());
//   address.host();  // "127.81.3.200"
//
// Held by a bound port, so that the kernel gives it back however the process ends. Threads: value,
// movable.
#pragma once

#include <string>
#include <utility>

#include "harness/base/status.h"

namespace watchproof {

class LoopbackAddress {
 public:
  static Result<LoopbackAddress> Reserve();
  LoopbackAddress(LoopbackAddress&& other) noexcept
      : host_(std::move(other.host_)), guard_(std::exchange(other.guard_, -1)) {}
  LoopbackAddress& operator=(LoopbackAddress&&) = delete;
  ~LoopbackAddress();

  const std::string& host() const { return host_; }

 private:
  LoopbackAddress(std::string host, int guard) : host_(std::move(host)), guard_(guard) {}
  std::string host_;
  int guard_;
};

}  // namespace watchproof
