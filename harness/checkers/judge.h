// SPDX-License-Identifier: Apache-2.0
// Judges a recording, entry by entry, by every guarantee; works the same for a finished recording
// and a growing one.
//
//   Judge judge({});
//   while (auto line = recorder.Next(deadline)) judge.Consume(*line);
//   judge.watches()[i].events ...        // how many events each watch has received so far
//   Judgement judgement = judge.Finish();
//
// The sequence that each watch expects comes from the acknowledged writes (see model/), never from
// the target. Memory: constant per watch, plus the existing keys, plus every change that a watch
// may still expect (a new watch may start anywhere above the compaction floor, so without
// compaction this is every change of the recording), plus the responses that arrived before the
// answers to their writes; and the key-value calls, if they are judged.
// Not thread-safe.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/checkers/exercise.h"
#include "harness/checkers/finding.h"
#include "harness/history/recorder.h"
#include "harness/history/run_started.h"
#include "harness/history/watch_options.h"

namespace watchproof {

class LagMeter;
class Observed;

// How a watch ended, or kOpen.
enum class WatchEnd { kOpen, kCompacted, kCancelled, kRefused, kStreamClosed };

// What one watch requested and has received so far.
struct WatchState {
  StreamId stream;
  std::uint32_t ordinal = 0;  // its place among the creates of its stream, from 0
  std::string key;
  std::string range_end;  // etcd's meaning: empty is one key, "\0" is from key on
  Revision start{};       // as resolved: for a start of 0 the created header's revision + 1
  WatchOptions options{};
  bool created = false;
  WatchId id{};  // as answered
  WatchEnd end = WatchEnd::kOpen;
  Revision compact_revision{};  // of the ErrCompacted, if that ended it
  Revision last_event{};        // 0: none yet
  std::uint64_t events = 0;
  Revision bookmark{};  // highest progress that covered it; 0: none
  std::uint64_t progress_answers = 0;
  Revision position{};  // the lowest revision that it has not received
  // Where a watch that resumes it must start: as `position`, but an incomplete fragmented response
  // does not count.
  Revision resume_at{};
  bool complete = false;    // every expected change, as far as acknowledged, has arrived
  Duration last_arrival{};  // of its latest message
};

struct JudgeOptions {
  // A watch that starts exactly at the compaction floor may be answered with ErrCompacted. etcd
  // serves it (everything from the floor on is kept), but a case may accept either answer. No
  // answer at all is a finding.
  bool permit_compacted_at_the_floor = false;
  // The target is configured to end a watch with previous values by ErrCompacted if such a value is
  // gone, which is the case exactly at the floor.
  bool strict_previous = false;
  // Create revision, version and lease of keys were not recorded and are not judged. An event has a
  // create revision only if it is reported as the creation of its key; then it is its own revision.
  bool without_metadata = false;
  // A revision without a write in the recording need not be a lost one: the store leaves some out,
  // or others write to it outside of the watched ranges. Only a control watch over everything that
  // is watched can distinguish such revisions from lost ones.
  bool gaps = false;
  // The declared differences of the store from etcd.
  Deviations deviations = {};
  std::string topology{};  // as in RunStarted
  int members = 1;         // likewise
  // Others may compact the store: a compaction without a request in the recording is legitimate, as
  // long as no read below it succeeds.
  bool others_compact = false;
  // A passive recording: what all of it shows, which outlives the judge. Nothing is stated about
  // what clients, other writers and operators do, and the recording begins and ends anywhere: only
  // what the recording proves is a finding. Null: the recording was made by a driver.
  const Observed* observed = nullptr;
  // Values are recorded as their hashes.
  bool hashed_values = false;
  // Whether the answers to key-value calls are judged, too. They are kept for that until the end.
  bool calls = true;
  // Changes are forgotten in groups of at least this size; with 0 as soon as possible.
  std::size_t least_held = 4096;
};

// The options in the first line of a recording, for a live recording and for one judged again.
JudgeOptions OptionsOf(const RunStarted& started);

// How far key-value calls were judged.
struct CallsJudged {
  // Answers that were compared with a known state in every part.
  std::uint64_t judged = 0;
  // What could not be decided, in words. It does not weaken the findings.
  std::vector<std::string> undecided{};
};

struct Judgement {
  std::vector<Finding> findings;  // the gravest first
  Exercise exercise;
  // Reasons why something could not be decided (a write with an unknown outcome, an incomplete
  // recording); if not empty and there is no finding, the attempt is inconclusive.
  std::vector<std::string> undecided;
  // Findings of the level may: worth a look, no reason to fail.
  std::vector<Finding> notes{};
  CallsJudged calls{};
};

// Whether the recording ends because its run did, or earlier.
enum class Ending { kWhole, kCutOff };

class Judge {
 public:
  // Also measures lag, without influence on judging. The meter may be null; it outlives the judge.
  explicit Judge(const JudgeOptions& options, LagMeter* lag = nullptr);
  ~Judge();

  void Consume(const NumberedEntry& line);
  // The end of the recording: changes that are still expected become findings, unless the recording
  // was cut off.
  Judgement Finish(Ending ending = Ending::kWhole);

  // All watches of all streams in the order of their create requests, without control watches.
  const std::vector<WatchState>& watches() const;
  // One of them.
  const WatchState& watch(std::size_t index) const;
  // Index into watches().
  std::optional<std::size_t> Find(StreamId stream, std::uint32_t ordinal) const;
  // Watches that are neither complete nor ended.
  std::vector<std::size_t> Unsettled() const;
  // Whether the control watch of a store without other writers still misses a known change.
  bool ControlWatchWaits() const;
  // How many events all watches have received, the control watch included.
  std::uint64_t given() const;
  // How many watches have received a change while an earlier expected one was missing. Whether it
  // still comes is known only at the end.
  std::size_t overtaken() const;
  // Whether the stream has ended by itself: neither the client nor a fault did it.
  bool WasDropped(StreamId stream) const;
  // The highest revision in the answers to calls.
  Revision reached() const;
  // Highest revision up to which every change is known; and the highest acknowledged compaction.
  Revision known_through() const;
  Revision compacted_through() const;
  // The highest compaction by others that only a watch has reported; a read just below it would
  // confirm it. Empty: there is none, or a read has been made.
  std::optional<Revision> UnconfirmedFloor() const;
  // How many changes are held because some watch may still expect them.
  std::size_t held() const;
  // Findings so far; final ones come from Finish.
  const std::vector<Finding>& findings() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// How far all watches of the streams have come on the way to the revision: it grows as long as
// something comes that was written up to there, also to their neighbours, and has an end.
std::uint64_t ProgressTo(Revision through, const std::set<StreamId>& streams, const Judge& judge);

}  // namespace watchproof
