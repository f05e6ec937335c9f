// SPDX-License-Identifier: Apache-2.0
// What a standing promise is asked through: one attempt, one script of many on a server, or the
// store under virtual time. A driver carries requests out, records what is due, and waits; it
// judges nothing.
//
//   for (const DrivenWatch& watch : driver.Watches()) {
//     if (watch.state == DrivenWatch::State::kCompacted) driver.Cancel(watch.ref);
//   }
//   driver.Await([&] { return driver.StateOf(ref) == DrivenWatch::State::kCancelled; });
//
// Keys are those on the target. What comes of a call is in the recording, a refusal as well: no
// function here reports it. Not thread-safe: the thread of the script.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/units.h"
#include "harness/history/entry.h"
#include "harness/history/wire_writer.h"
#include "harness/model/key_range.h"
#include "harness/targets/capability.h"

namespace watchproof {

// A watch by its place among the creates of its stream, from 0.
struct WatchRef {
  StreamId stream{};
  std::uint32_t ordinal = 0;
  auto operator<=>(const WatchRef&) const = default;
};

// A watch as its client knows it by now.
struct DrivenWatch {
  enum class State {
    kAsked,      // not answered yet
    kOpen,       //
    kCompacted,  // ended with ErrCompacted; its id stays in use until it is cancelled
    kCancelled,  // as its client asked for
    kOver,       // refused, or ended with its stream
  };
  WatchRef ref;
  State state = State::kAsked;
  WatchId id{};  // as answered
  KeyRange range;
  Revision start{};
  bool progress_notify = false;
};

class Driver {
 public:
  virtual ~Driver() = default;

  // What there is.

  // The watches of every stream that takes requests, by stream and ordinal.
  virtual std::vector<DrivenWatch> Watches() = 0;
  virtual DrivenWatch::State StateOf(WatchRef watch) = 0;
  // The highest revision in an answer, the highest acknowledged compaction (0: none), and the first
  // revision that the script can have written.
  virtual Revision head() = 0;
  virtual Revision floor() = 0;
  virtual Revision oldest() = 0;
  // The keys that the script may write.
  virtual KeyRange Own() = 0;

  // New watches are made on so many streams, the latest ones. Where none has a watch, on this one,
  // if the script is to be asked then.
  virtual std::size_t most_streams() = 0;
  virtual std::optional<StreamId> AnyStream() = 0;
  // What a new watch follows that reads history, on a stream with `latest` as its latest range.
  virtual KeyRange HistoryToWatch(const KeyRange& latest) = 0;

  // Why the target cannot be asked for it; empty: it can be.
  virtual std::string Without(Capability capability) = 0;
  // Likewise of a revision that is not the head's: not every store is stated to have its past, and
  // not every profile asks for the future.
  virtual std::string WithoutReadsAt(Revision revision) = 0;
  virtual std::string WithoutFuture() = 0;
  // How many members the target has; 1: it is no cluster.
  virtual int members() { return 1; }
  // Nothing more is to be asked: the time is over, or the target is gone.
  virtual bool GivesUp() = 0;
  // What follows is about this promise. False: it is not asked for.
  virtual bool Begin(std::string_view promise) = 0;
  // Records that a promise, or a part of it, is not asked for.
  virtual void Leave(std::string_view promise, std::string why) = 0;

  // Requests.

  virtual WatchRef Create(StreamId stream, const WatchCreate& watch) = 0;
  virtual void Cancel(WatchRef watch) = 0;
  virtual void PutEach(const std::set<std::string>& keys) = 0;
  virtual void DeleteEach(const std::set<std::string>& keys) = 0;
  // Reads the script's keys at a revision; 0 is the present.
  enum class Reads { kLinearizable, kSerializable };
  virtual void Read(Revision at, Reads reads) = 0;
  // Once the member holds the revision: reads the script's keys as it has them itself, and asks it
  // for a hash of the history of every key up to there.
  virtual void AskMember(int /*member*/, Revision /*at*/) {}
  // Asks the member for its status.
  virtual void AskStatus(int /*member*/) {}
  // Asks the member for the members of its cluster, until they are those that there are.
  virtual void ListMembers(int /*member*/) {}
  // Which leases there are, and what the script's own hold.
  virtual void ListLeases() = 0;

  // What is due.

  // Progress must come on the stream, every watch of which has started: asked for until it comes,
  // or by itself to watches with progress_notify.
  enum class Progress { kRequested, kPeriodic };
  virtual void RequireProgress(StreamId stream, Progress progress) = 0;
  // Each of these receives every change up to the head.
  virtual void RequireDelivery(const std::vector<WatchRef>& watches) = 0;
  // Until it holds, or the driver's patience is over.
  virtual void Await(const std::function<bool()>& done) = 0;
};

}  // namespace watchproof
