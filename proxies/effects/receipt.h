// SPDX-License-Identifier: Apache-2.0
// What an effect did, as evidence: the difference between "a stall was armed" and "it took effect
// at the target".
//
// Threads: values.
#pragma once

#include <cstdint>
#include <optional>

#include "harness/base/deadline.h"

namespace watchproof::proxy {

struct Receipt {
  // Bytes kept back by a shut gate: for each direction of each connection the most that was read
  // and held, plus the unread bytes in the source's kernel buffer; then the sum. Bytes that the
  // sender could not send any more are not counted, so this is a lower bound of the disturbance.
  std::int64_t bytes_withheld = 0;
  // Bytes that went through a delay line and left it later than they entered.
  std::int64_t bytes_delayed = 0;
  // Bytes that left later than they entered because their turn within a rate had not come.
  std::int64_t bytes_throttled = 0;
  // Bytes that were read and will never be passed on, while their connection stays open.
  std::int64_t bytes_swallowed = 0;
  // Bytes that left in smaller pieces than they came in.
  std::int64_t bytes_sliced = 0;
  // Bytes that left with other content than they came with.
  std::int64_t bytes_corrupted = 0;
  // Connections that were reset.
  std::int64_t connections_cut = 0;
  // Connections with one side that got an end of stream from the proxy, not from its peer.
  std::int64_t connections_half_closed = 0;
  // Connections that were closed in good order, but not by their peers.
  std::int64_t connections_closed = 0;
  // Connections with one side gone and the other one not notified.
  std::int64_t connections_half_opened = 0;
  // Connections with at least one byte affected, or which were held up or ended.
  std::int64_t connections_touched = 0;
  // What effects on streams did: frames kept back for a while, frames that never arrived, and
  // frames that the proxy made up.
  std::int64_t frames_withheld = 0;
  std::int64_t frames_swallowed = 0;
  std::int64_t frames_injected = 0;
  // Streams that a GOAWAY refused: for the client they never existed, and the proxy reset them
  // towards the target.
  std::int64_t streams_refused = 0;
  // How often what the effect waited for happened.
  std::int64_t times_triggered = 0;
  // Connections on which an effect on streams could do nothing, because they cannot be followed.
  std::int64_t connections_unfollowed = 0;
  // The longest time that the first waiting byte of a direction spent behind a shut gate, that a
  // chunk spent in a delay line or waiting for its turn within a rate, or that an end or a new
  // connection was held up.
  Duration longest_hold{};
  TimePoint armed_at{};
  // When the disturbance ended: by removal, or by itself where an effect has a duration.
  std::optional<TimePoint> healed_at;
};

// Every count of a receipt by its name, for display and output.
struct ReceiptCount {
  const char* name;
  std::int64_t Receipt::*count;
};
inline constexpr ReceiptCount kReceiptCounts[] = {
    {"bytes_withheld", &Receipt::bytes_withheld},
    {"bytes_delayed", &Receipt::bytes_delayed},
    {"bytes_throttled", &Receipt::bytes_throttled},
    {"bytes_swallowed", &Receipt::bytes_swallowed},
    {"bytes_sliced", &Receipt::bytes_sliced},
    {"bytes_corrupted", &Receipt::bytes_corrupted},
    {"connections_cut", &Receipt::connections_cut},
    {"connections_half_closed", &Receipt::connections_half_closed},
    {"connections_closed", &Receipt::connections_closed},
    {"connections_half_opened", &Receipt::connections_half_opened},
    {"connections_touched", &Receipt::connections_touched},
    {"frames_withheld", &Receipt::frames_withheld},
    {"frames_swallowed", &Receipt::frames_swallowed},
    {"frames_injected", &Receipt::frames_injected},
    {"streams_refused", &Receipt::streams_refused},
    {"times_triggered", &Receipt::times_triggered},
    {"connections_unfollowed", &Receipt::connections_unfollowed},
};

}  // namespace watchproof::proxy
