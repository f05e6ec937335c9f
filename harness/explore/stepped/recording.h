// SPDX-License-Identifier: Apache-2.0
// The recording of one script under virtual time: the same entries, with the same wire messages,
// that a client of a real server records.
//
//   Recording recording;
//   recording.Request(stream, ToWire(create, placement, start));
//   recording.Response(stream, ToWire(reply, part));
//   for (const NumberedEntry& line : recording.lines()) judge.Consume(line);
//
// The messages are written with the writer of harness/history, not with the store's: the oracle and
// the store share no code. Times are virtual. Not thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "embedded_store/lease/lessor.h"
#include "embedded_store/mvcc/operations.h"
#include "embedded_store/watch/watch_types.h"
#include "harness/history/annotation.h"
#include "harness/history/recorder.h"
#include "harness/history/run_started.h"
#include "harness/script/requests_of_steps.h"
#include "harness/script/script.h"

namespace watchproof::explore {

// The client of every call.
inline constexpr const char* kClient = "script";

class Recording {
 public:
  const std::vector<NumberedEntry>& lines() const { return lines_; }
  void Advance(Duration duration) { now_ += duration; }
  Duration now() const { return now_; }

  void RunStarted(const Limits& limits) {
    Add({.kind = EntryKind::kRunStarted,
         .text = ToText(watchproof::RunStarted{.case_name = "explore",
                                               .version = "virtual",
                                               .members = 1,
                                               .strict_previous = limits.strict_previous})});
  }
  void Opened(StreamId stream, const char* path) {
    Add({.kind = EntryKind::kStreamOpened, .stream = stream, .text = path});
  }
  void Closed(StreamId stream, StatusCode code) {
    Add({.kind = EntryKind::kStreamClosed, .code = code, .stream = stream});
  }
  void Request(StreamId stream, std::string message) {
    Add({.kind = EntryKind::kRequestSent,
         .stream = stream,
         .payload = Bytes::Take(std::move(message))});
  }
  void Response(StreamId stream, std::string message) {
    Add({.kind = EntryKind::kResponseReceived,
         .stream = stream,
         .payload = Bytes::Take(std::move(message))});
  }
  CallId Started(Method method, std::string request) {
    const CallId call(++calls_);
    Add({.kind = EntryKind::kCallStarted,
         .method = method,
         .call = call,
         .payload = Bytes::Take(std::move(request)),
         .text = kClient});
    return call;
  }
  void Ended(CallId call, Method method, std::string response) {
    Add({.kind = EntryKind::kCallEnded,
         .method = method,
         .call = call,
         .payload = Bytes::Take(std::move(response))});
  }
  void Failed(CallId call, Method method, const Status& status) {
    Add({.kind = EntryKind::kCallEnded,
         .method = method,
         .code = status.code(),
         .call = call,
         .text = status.message()});
  }
  void Killed() {
    Add(KillEntry(/*healed=*/false));
    Add(KillEntry(/*healed=*/true));
  }
  void Annotate(const Annotation& annotation) { Add(AnnotationEntry(annotation)); }

 private:
  void Add(Entry entry) {
    entry.at = now_;
    lines_.push_back({Line(lines_.size() + 1), std::move(entry)});
  }

  std::vector<NumberedEntry> lines_;
  Duration now_{};
  std::uint32_t calls_ = 0;
};

// Requests. The revision is the one that the place named.
std::string ToWire(const Create& create, const Placement& placement, std::int64_t start);
std::string ToWire(const Cancel& cancel);
std::string ToWire(const AskProgress& ask);

// Responses.
std::string ToWire(const store::PutAnswer& answer);
std::string ToWire(const store::DeleteAnswer& answer);
std::string ToWire(const store::RangeAnswer& answer);
std::string ToWire(const store::TxnAnswer& answer);
std::string ToWire(const store::CompactAnswer& answer);
std::string ToWire(const store::Granted& granted);
// Some events of a reply, or a reply without any; `more` follow in further parts.
std::string ToWire(const store::WatchReply& reply, std::span<const store::PendingEvent> events,
                   bool more);

}  // namespace watchproof::explore
