// SPDX-License-Identifier: Apache-2.0
// Judges a recording, entry by entry, by every guarantee: the same for a finished one and one that
// grows.
//
//   Judge judge({});
//   while (auto line = recorder.Next(deadline)) judge.Consume(*line);
//   judge.watches()[i].events ...        // what each watch has been given so far
//   Judgement judgement = judge.Finish();
//
// The sequence each watch was owed comes from the acknowledged writes (see model/), never from the
// target. Memory: per watch constant, plus the living keys, plus every change that a watch may yet
// be owed (one that asks may start anywhere above the compaction floor, so without compaction it is
// every change of the recording), plus the responses that overtook the answers to their writes.
// Not thread-safe.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/checkers/exercise.h"
#include "harness/checkers/finding.h"
#include "harness/history/deviations.h"
#include "harness/history/recorder.h"
#include "harness/history/run_started.h"

namespace watchproof {

class HistoryObserver;

// How a watch ended, or kOpen.
enum class WatchEnd { kOpen, kCompacted, kCancelled, kRefused, kStreamClosed };

// What one watch asked for and has been given so far.
struct WatchState {
  StreamId stream;
  std::uint32_t ordinal = 0;  // its place among the creates of its stream, from 0
  std::string key;
  std::string range_end;  // etcd's meaning: empty is one key, "\0" is from key on
  Revision start{};       // as resolved: for a start of 0 the created header's revision + 1
  bool created = false;
  WatchId id{};  // as answered
  WatchEnd end = WatchEnd::kOpen;
  Revision compact_revision{};  // of the ErrCompacted, if that ended it
  Revision last_event{};        // 0: none yet
  std::uint64_t events = 0;
  Revision bookmark{};  // highest progress that covered it; 0: none
  std::uint64_t progress_answers = 0;
  Revision position{};  // the lowest revision it has not been given
  // Where a watch that continues it must start: as `position`, but a fragmented response whose last
  // part has not come counts for nothing.
  Revision resume_at{};
  bool complete = false;    // every change owed to it, as far as acknowledged, has arrived
  Duration last_arrival{};  // of its latest message
};

struct JudgeOptions {
  // A watch that starts exactly at the compaction floor may be answered with ErrCompacted. etcd
  // serves it (everything from the floor on is kept), but a case may accept either answer, only
  // never silence.
  bool permit_compacted_at_the_floor = false;
  // The target was told to end a watch that asked for previous values with ErrCompacted where one
  // is gone, which is the case exactly at the floor.
  bool strict_previous = false;
  // Create revision, version and lease of keys were not recorded: nothing follows from them. An
  // event has a create revision only if it is told to have made its key, and then its own.
  bool without_metadata = false;
  // Revisions that nobody of the recording made may be nobody's: the store leaves some out, or
  // others write to it where the recording does not watch. Only a witness of all that is watched
  // can tell them from what was lost.
  bool gaps = false;
  // What the store is declared to do otherwise than etcd.
  Deviations deviations = {};
  // Others may compact the store: a compaction that nobody of the recording asked for is
  // legitimate, as long as no read of what it would have taken says otherwise.
  bool others_compact = false;
  // Fewer changes than this are not worth forgetting. With 0 all are forgotten as soon as they can
  // be.
  std::size_t least_held = 4096;
};

// What the recording itself says, for one that is being made as for one that is judged again.
JudgeOptions OptionsOf(const RunStarted& started);

struct Judgement {
  std::vector<Finding> findings;
  Exercise exercise;
  // Reasons why something could not be decided (a write whose outcome stayed unknown, an incomplete
  // recording); if not empty and there is no finding, the attempt is inconclusive.
  std::vector<std::string> undecided;
  // Findings of the level may: worth a look, no reason to fail.
  std::vector<Finding> notes{};
};

// Whether the recording ends because its run did, or earlier.
enum class Ending { kWhole, kCutOff };

class Judge {
 public:
  // The bystander hears what the judge is told of the watches; it may be null and outlives it.
  explicit Judge(const JudgeOptions& options, HistoryObserver* observer = nullptr);
  ~Judge();

  void Consume(const NumberedEntry& line);
  // The end of the recording: what is still owed becomes a finding, unless the recording was cut
  // off.
  Judgement Finish(Ending ending = Ending::kWhole);

  // All watches of all streams in the order of their creation requests; the witness' excluded.
  const std::vector<WatchState>& watches() const;
  // Index into watches().
  std::optional<std::size_t> Find(StreamId stream, std::uint32_t ordinal) const;
  // Watches that are neither complete nor ended.
  std::vector<std::size_t> Unsettled() const;
  // Whether the control watch of a store that nobody else changes has not been given all that is
  // known.
  bool ControlWatchWaits() const;
  // How many events all watches have been given, the control watch among them.
  std::uint64_t given() const;
  // How many watches have been given something while they were owed something before it. Only the
  // end tells whether that still comes.
  std::size_t overtaken() const;
  // Whether the stream has ended by itself: neither the client nor a fault did it.
  bool WasDropped(StreamId stream) const;
  // How far the store is known to have been, by the answers to calls.
  Revision reached() const;
  // Highest revision up to which every change is known; and the highest acknowledged compaction.
  Revision known_through() const;
  Revision compacted_through() const;
  // The highest to which others have compacted the store, by the word of a watch alone: a read just
  // below would tell. Empty: there is none, or none that was not asked about.
  std::optional<Revision> UnconfirmedFloor() const;
  // How many changes are held because some watch may yet be owed them.
  std::size_t held() const;
  // Findings so far; final ones come from Finish.
  const std::vector<Finding>& findings() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace watchproof
