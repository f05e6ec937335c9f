// SPDX-License-Identifier: Apache-2.0
// What the faults of a recording explain: the end of a stream, a member that fell behind.
//
//   FaultLog faults;
//   faults.Consume(line);                                    // every line, in order
//   if (!faults.MayHaveEnded(stream, line, code)) ...        // no fault explains the end
//
// A fault explains events from the line on where it was armed; once it is healed, only the end of
// streams that were open then. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/history/annotation.h"
#include "harness/history/recorder.h"

namespace watchproof {

class FaultLog {
 public:
  void Consume(const NumberedEntry& line);

  // Whether a fault may have ended the stream in that line. A member that lost its leader ends
  // the streams that asked for one, with Unavailable.
  bool MayHaveEnded(StreamId stream, Line end, StatusCode code) const;
  // Whether a fault may have ended the stream since that line, where no end is recorded.
  bool MayHaveCut(StreamId stream, Line since) const;
  // Whether a server may have been ending, or without a leader, in that line.
  bool MayRefuse(StreamId stream, Line at) const;
  // Whether a member may have been sent a snapshot of the store since that line.
  bool MembersParted(Line since) const;
  // Whether a fault of that kind was armed.
  bool WasArmed(std::string_view kind) const;
  // Whether a fault of that kind was healed by then, and no longer ago; behind that line.
  bool WasHealed(std::string_view kind, Duration by, Duration ago, Line behind = {}) const;
  // Where the latest fault that ended the server was over, or began if it was not over by that
  // line; 0: there was none before it.
  Line LatestCrash(Line before) const;
  // Where the fault was armed of which that line is such a one: the server may have ended any time
  // from there on.
  Line BeginOf(Line crash) const;
  // Whether a member may still lack at that time what it missed while members were apart.
  bool MayLag(Duration at) const;
  // Whether a fault was active that may hold back what the stream receives.
  bool MayHaveStalled(StreamId stream, Line at) const;
  // Whether no fault has been active since that line.
  bool QuietSince(Line since) const;
  // Since when no fault has been active; empty: one is.
  std::optional<Duration> quiet_since() const {
    return active_.empty() ? std::optional(quiet_since_) : std::nullopt;
  }
  // The recording is so old that its faults do not name the streams they may end: every end is
  // explained.
  bool unsaid() const { return unsaid_; }

 private:
  struct Fault {
    FaultLine what;
    Line armed;
    Line healed{};  // 0: not yet
    Duration healed_at{};
  };
  struct Stream {
    Line opened;
    bool proxied = false;
  };

  Stream Of(StreamId stream) const;
  static bool EndsOn(const Fault& fault, const Stream& stream);
  static bool Is(const Fault& fault, std::string_view kind) {
    return std::string_view(fault.what.fault).substr(0, fault.what.fault.find('/')) == kind;
  }
  // It was armed before the line, and not healed before the other.
  static bool Acted(const Fault& fault, Line before, Line since);

  std::vector<Fault> faults_;
  std::map<std::uint32_t, Stream> streams_;
  std::set<std::string, std::less<>> active_;
  Duration quiet_since_{};
  bool unsaid_ = false;
};

}  // namespace watchproof
