// SPDX-License-Identifier: Apache-2.0
// What all clients of one recording share: the recorder and the numbers of streams and calls.
//
// Threads: any. Ownership: refers to the recorder, which must outlive it and every client.
#pragma once

#include <atomic>

#include "harness/history/recorder.h"

namespace watchproof {

class RecordingContext {
 public:
  explicit RecordingContext(Recorder& recorder) : recorder_(recorder) {}

  Recorder& recorder() { return recorder_; }
  StreamId NextStream() { return StreamId(++streams_); }
  CallId NextCall() { return CallId(++calls_); }

 private:
  Recorder& recorder_;
  std::atomic<std::uint32_t> streams_{0};
  std::atomic<std::uint32_t> calls_{0};
};

}  // namespace watchproof
