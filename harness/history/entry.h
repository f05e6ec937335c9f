// SPDX-License-Identifier: Apache-2.0
// One line of a history: what a client, a fault or the driver did or observed, with the raw wire
// message where there is one.
//
// A history keeps requests and responses as the bytes that were sent and received.
// Order: entries of one thread keep their order; a call's start stands before its end; a
// request stands before the responses it caused. Times are nanoseconds since the recording began,
// taken where it happened.
//
// Threads: values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "harness/base/bytes.h"
#include "harness/base/deadline.h"
#include "harness/base/status.h"
#include "harness/base/units.h"
#include "harness/history/method.h"

namespace watchproof {

// Numbers one watch stream (one gRPC call) of a recording, from 1.
using StreamId = Quantity<struct StreamIdTag, std::uint32_t>;
// Numbers one unary call of a recording, from 1.
using CallId = Quantity<struct CallIdTag, std::uint32_t>;
// A place in the recording, from 1; evidence points at it.
using Line = Quantity<struct LineTag, std::uint64_t>;

// The numbers are the file format: never reuse one.
enum class EntryKind : std::uint8_t {
  kRunStarted = 1,        // text: JSON object with format version, case, target, seed
  kStreamOpened = 2,      // stream; text: its path, "proxied", "direct", "control", ...
  kRequestSent = 3,       // stream; payload: WatchRequest, stamped before it is handed to gRPC
  kResponseReceived = 4,  // stream; payload: WatchResponse, stamped in the reactor
  kStreamClosed = 5,      // stream; code and text: the stream's final status
  kCallStarted = 6,       // call, method; text: the client's name; payload: the request
  kCallEnded = 7,   // call, method; code and text: status; payload: the response if the code is ok
  kFault = 8,       // text: JSON object: fault, phase ("armed", "healed"), and its receipt
  kAnnotation = 9,  // text: JSON object of the driver, see annotation.h
};

// In the order of the numbers: "stream opened".
inline constexpr const char* kEntryKinds[] = {
    "unnamed",       "run started",  "stream opened", "request", "response",
    "stream closed", "call started", "call ended",    "fault",   "annotation"};
constexpr const char* Name(EntryKind kind) { return kEntryKinds[static_cast<std::size_t>(kind)]; }

struct Entry {
  EntryKind kind = EntryKind::kAnnotation;
  Method method = Method::kNone;
  StatusCode code = StatusCode::kOk;
  StreamId stream{};
  CallId call{};
  Duration at{};  // since the recording began; 0 lets the recorder stamp it
  Bytes payload{};
  // The rest of the payload, from its first event on, where it is shared with the responses to
  // other watches of the range. Set when a recording is read; recording code leaves it empty.
  Bytes tail{};
  std::string text{};
};

}  // namespace watchproof
