// SPDX-License-Identifier: Apache-2.0
// The calls of a recording, each with its end and with what answers had reported before it began.
//
//   CallLog log(CallLog::Keep::kAll);
//   if (const RecordedCall* call = log.Consume(line)) ...   // every line, in order
//   for (const RecordedCall& call : log.calls()) ...        // in the order they began
//
// A call that ended without a certain outcome, or not at all, is open: it may have taken effect, or
// may do so later. Not thread-safe. Ownership: messages are shared with the recording and kept as
// long as the call.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
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
  bool for_user = false;      // refused for its user, or for want of one
  bool serializable = false;  // answered by one member from its local store
  bool in_parts = false;      // see kInParts
  // A compaction that had not been acknowledged when it began may have been done before its end.
  bool compacted_meanwhile = false;
  std::uint32_t client = 0;  // index into client_names()
  // The revision that a range or a compaction asks for, or the lease that is revoked; 0: none.
  std::int64_t named = 0;
  Line began{};
  Line ended{};              // 0: it did not
  Duration at{};             // of its end, or of its beginning
  Duration took{};           // until its end
  Revision revision{};       // of the answer's header
  std::uint64_t member = 0;  // that answered, likewise; 0: unknown
  Bytes request;
  Bytes response;
  Revision floor{};  // the highest compaction acknowledged before it began
  Reached before;    // by any answer before it began
  // By an answer to the same client over the same connection before it began.
  Reached before_here;
};

// A lease that was granted or revoked in the recording.
struct Lease {
  // Requests to revoke it that may have met this lease, not an earlier one with its id.
  struct Revocation {
    CallId id;
    Line began{};
    Line ended{};          // 0: it has no certain outcome, and may still come to pass
    bool refused = false;  // so it ended nothing
  };
  std::vector<Revocation> revocations;
  Line granted{};  // 0: its grant is not in the recording
  bool asked_to_end() const { return !revocations.empty(); }
  // Where its end was asked for, or its time began.
  Line explained() const {
    const auto first = std::ranges::find(revocations, false, &Revocation::refused);
    return first != revocations.end() ? first->began : granted;
  }
  // Its acknowledged revocation, unless it was granted anew; 0: none.
  Line revoking_began{};
  Line revoked{};
};

class CallLog {
 public:
  // kAll: every call of the key-value API until the end, to be judged. kOpen: only until it ends.
  enum class Keep { kAll, kOpen };
  explicit CallLog(Keep keep = Keep::kAll) : keep_(keep) {}

  // The call that the line begins or ends, valid until the next line; null for other lines.
  const RecordedCall* Consume(const NumberedEntry& line);
  // The store counts on from the revision, up to which everything is compacted.
  void Restored(Revision revision);
  bool restored() const { return restored_; }

  // Those of the key-value API, and others in between.
  const std::deque<RecordedCall>& calls() const { return calls_; }
  // Key-value calls in the order they ended; those that did not end are missing.
  const std::vector<const RecordedCall*>& ended() const { return ended_; }
  // Began, not ended; by number.
  const std::map<std::uint32_t, RecordedCall*>& out() const { return out_; }
  // The first is empty: calls without a client name in the recording.
  const std::vector<std::string>& client_names() const { return client_names_; }
  const std::map<std::int64_t, Lease>& leases() const { return leases_; }
  // The highest revision in an answer.
  Revision reached() const { return reached_.revision; }
  bool any_write() const { return any_write_; }

  // The highest compaction that was acknowledged: revisions below it cannot be read any more. A
  // watch that starts between it and the highest that was asked for and not refused for certain may
  // succeed or be answered as compacted.
  Revision compaction_acknowledged() const { return acknowledged_; }
  Revision compaction_requested() const { return requested_; }
  // Where the store was when the highest was acknowledged.
  Revision compacted_at() const { return compacted_at_; }
  // The highest that this member acknowledged itself before the line, and so has carried out.
  Revision CompactedBy(std::uint64_t member, Line before) const;
  // Whether that very compaction was asked for, by anyone of the recording.
  bool CompactionAsked(Revision revision) const { return compactions_.contains(revision); }

  // What reads of past revisions reveal about compactions, by this recording or by others. An
  // answer shows that no revision from the requested one on had been compacted when the read began:
  // the line of such a read that began after `since`, of this revision or an earlier one.
  std::optional<Line> ReadableSince(Revision revision, Line since) const;
  // A refusal as out of range shows that everything up to the requested revision had been:
  // revisions below this one can no longer be read; 0: none is known to be compacted. Refusals
  // beyond the head do not count: a future revision is out of range, too.
  Revision GoneBelow() const;
  bool WasReadAt(Revision revision) const { return reads_.contains(revision); }

  // The answer to the linearizable read that began last. No revision reported before that read
  // began can be higher.
  struct Reading {
    Line started{};  // 0: there was none
    Revision revision{};
  };
  const Reading& latest_reading() const { return latest_reading_; }

 private:
  const RecordedCall* Begin(const NumberedEntry& line);
  const RecordedCall* End(const NumberedEntry& line);
  void EndRead(const RecordedCall& call);
  void EndCompaction(const RecordedCall& call);
  void EndKeyValueCall(const RecordedCall& call);
  void FollowLease(const RecordedCall& call);
  std::uint32_t ClientOf(const std::string& name);

  const Keep keep_;
  bool restored_ = false;
  std::deque<RecordedCall> calls_;
  std::vector<const RecordedCall*> ended_;
  std::map<std::uint32_t, RecordedCall*> out_;
  std::vector<std::string> client_names_ = {""};
  std::map<std::string, std::uint32_t, std::less<>> clients_;
  std::vector<Reached> reached_by_;  // by client
  Reached reached_;
  bool any_write_ = false;
  std::map<std::int64_t, Lease> leases_;
  Revision acknowledged_{};
  Revision compacted_at_{};
  Revision requested_{};
  std::set<Revision> compactions_;
  std::map<std::uint64_t, std::vector<std::pair<Line, Revision>>> compacted_by_;  // by member
  std::map<std::uint32_t, Revision> pending_;        // compactions neither acknowledged nor refused
  std::vector<std::pair<Line, Revision>> readable_;  // began, and the past revision
  std::set<Revision> unreadable_;
  std::set<Revision> reads_;
  Reading latest_reading_;
};

// Whether a range or a transaction allows any member to answer alone.
bool IsSerializable(Method method, std::string_view request);

}  // namespace watchproof
