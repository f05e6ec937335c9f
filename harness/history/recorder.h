// SPDX-License-Identifier: Apache-2.0
// Appends what clients and faults observed during a run to one compressed file of framed wire
// messages, and lets one reader in the same process follow it while it grows.
//
//   auto recorder = Recorder::Open({.file = folder / "history.wire.zst"});
//   recorder->Append({.kind = EntryKind::kResponseReceived, .stream = stream, .payload = bytes});
//   while (auto line = recorder->Next(Within(1s))) judge.Consume(*line);   // one follower at most
//   WP_RETURN_IF_ERROR(recorder->Close());
//
// Threads: Append may be called from any thread and never blocks; entries of one thread keep their
// order. Next is for one thread. One thread of the recorder's own compresses and writes.
// Ownership: Append encodes an entry into the bytes of the file at once, while its message is still
// in the processor's cache, and then releases it; those bytes wait for the writer and the follower.
// Events in responses to many watches of one range are kept once (frame.h). Close writes the
// trailer (chunk.h), without which a recording is cut off, and waits; the destructor closes.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>

#include "harness/base/deadline.h"
#include "harness/base/status.h"
#include "harness/history/entry.h"

namespace watchproof {

struct NumberedEntry {
  Line line;
  Entry entry;
};

struct RecorderOptions {
  std::filesystem::path file;
  // Bytes that may wait for the writer, and as many for the follower.
  ByteCount capacity{512LL << 20};
  // Whether Next will be called. If so, entries wait for it from the first line on, even before the
  // first call; if not, nothing is kept for it.
  bool follow = true;
};

class Recorder {
 public:
  // Errors name the file.
  static Result<std::unique_ptr<Recorder>> Open(const RecorderOptions& options);
  ~Recorder();

  // Returns false when the capacity is exhausted or the file could not be written; the recording
  // then stays incomplete, and a run with an incomplete recording cannot pass. After Close it
  // returns false too, but such entries do not count as lost.
  bool Append(Entry entry);
  bool incomplete() const;
  // Time since the recording began, for stamping at the source.
  Duration Now() const;

  // The next line for the follower; empty when the deadline passed or the recording is closed and
  // drained.
  std::optional<NumberedEntry> Next(Deadline deadline);

  // Bytes that wait for the writer: an owner that may wait does so while there are many.
  ByteCount waiting() const;
  // Lines appended so far.
  Line last() const;
  // Numbers for the streams and the calls of clients.
  StreamId NextStream() { return StreamId(++streams_); }
  CallId NextCall() { return CallId(++calls_); }
  [[nodiscard]] Status Close();

 private:
  class Impl;
  explicit Recorder(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
  std::atomic<std::uint32_t> streams_{0};
  std::atomic<std::uint32_t> calls_{0};
};

}  // namespace watchproof
