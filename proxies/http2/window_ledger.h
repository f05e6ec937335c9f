// SPDX-License-Identifier: Apache-2.0
// The window of a whole connection in one direction, when its frames do not arrive as they were
// sent.
//
// Held bytes of one stream would use up the window that all streams of the connection share, and
// block the neighbours. So window for held bytes is lent to the sender, and taken back by keeping
// the receiver's later updates: the receiver never gets more than it granted, and the sender never
// more than the receiver granted and the proxy holds. Window for dropped bytes is not taken back.
//
//   granted: by the receiver     given: to the sender     delivered, held, dropped: of the bytes
//   invariant: delivered <= granted, given >= granted + held + dropped after TakeCredit()
//
// Not thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "proxies/http2/frame.h"

namespace watchproof::proxy {

class WindowLedger {
 public:
  void Arrived(std::int64_t bytes) { held_ += bytes; }
  void Delivered(std::int64_t bytes) {
    held_ -= bytes;
    delivered_ += bytes;
  }
  void Dropped(std::int64_t bytes) {
    held_ -= bytes;
    dropped_ += bytes;
  }
  void Granted(std::int64_t bytes) { granted_ += bytes; }

  // What the receiver accepts now. Only the proxy can have reduced its window, so there is a limit
  // only once something was lent.
  std::int64_t room() const { return lends_ ? granted_ - delivered_ : INT64_MAX; }
  bool Fits(std::int64_t bytes) const { return bytes == 0 || bytes <= room(); }
  // What must still be granted to the sender; counts as granted from then on.
  std::int64_t TakeCredit() {
    lends_ |= held_ + dropped_ > 0;
    const std::int64_t expected = granted_ + held_ + dropped_ - given_;
    if (expected <= 0) return 0;
    given_ += expected;
    return expected;
  }

 private:
  std::int64_t granted_ = kDefaultWindow;
  std::int64_t given_ = kDefaultWindow;
  std::int64_t delivered_ = 0;
  std::int64_t held_ = 0;
  std::int64_t dropped_ = 0;
  bool lends_ = false;
};

}  // namespace watchproof::proxy
