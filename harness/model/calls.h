// SPDX-License-Identifier: Apache-2.0
// The key-value calls of a recording, each with its end and with the revision that answers had
// reported before it began.
//
//   CallLog log;
//   log.Consume(line);                                   // every line, in order
//   for (const RecordedCall& call : log.calls()) ...     // in the order they began
//
// A call that ended without a certain outcome, or not at all, is open: it may have taken effect, or
// may do so later. Not thread-safe. Ownership: messages are shared with the recording and kept as
// long as the log.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "harness/history/recorder.h"
#include "harness/history/wire.h"

namespace watchproof {

enum class CallOutcome { kAnswered, kRefused, kOpen };

// A revision that the store is known to have reached, and the line that reported it.
struct Reached {
  Revision revision{};
  Line line{};
};

struct RecordedCall {
  CallId id;
  Method method = Method::kNone;
  CallOutcome outcome = CallOutcome::kOpen;
  StatusCode code = StatusCode::kUnknown;
  bool serializable = false;  // answered by one member from its local store
  std::uint32_t client = 0;   // index into client_names()
  Line began{};
  Line ended{};         // 0: it did not
  Duration at{};        // of its end, or of its beginning
  Revision revision{};  // of the answer's header
  Bytes request;
  Bytes response;
  Reached before;  // by any answer before it began
  // By an answer to the same client over the same connection before it began.
  Reached before_here;
};

// Of a lease: its acknowledged revocation, unless it was granted anew.
struct Revocation {
  Line began{};
  Line ended{};
};

class CallLog {
 public:
  void Consume(const NumberedEntry& line);

  const std::deque<RecordedCall>& calls() const { return calls_; }
  // In the order they ended; those that did not are missing.
  const std::vector<const RecordedCall*>& ended() const { return ended_; }
  // The first is empty: calls without a client name in the recording.
  const std::vector<std::string>& client_names() const { return client_names_; }
  const std::map<std::int64_t, Revocation>& revoked() const { return revoked_; }
  // The store's revision before the first write began; 0 if no call asked for it.
  Revision base() const { return base_; }

 private:
  void Begin(const NumberedEntry& line);
  void FollowLease(const NumberedEntry& line);
  void End(const NumberedEntry& line);
  void Reach(Revision revision, Line line);
  std::uint32_t ClientOf(const std::string& name);

  std::deque<RecordedCall> calls_;
  std::vector<const RecordedCall*> ended_;
  std::unordered_map<std::uint32_t, RecordedCall*> out_;  // began, not ended; by number
  struct Revoking {
    std::int64_t lease = 0;
    Line began{};
  };
  std::unordered_map<std::uint32_t, Revoking> revoking_;  // began, not ended; by number
  std::map<std::int64_t, Revocation> revoked_;            // by lease
  std::vector<std::string> client_names_ = {""};
  std::map<std::string, std::uint32_t, std::less<>> clients_;
  std::vector<Reached> reached_by_;  // by client
  Reached reached_;
  Revision base_{};
  bool any_write_ = false;
};

// Whether a range or a transaction allows any member to answer alone.
bool IsSerializable(Method method, std::string_view request);

// The kind of operation that the method performs outside of a transaction.
OperationKind KindOf(Method method);

}  // namespace watchproof
