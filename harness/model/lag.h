// SPDX-License-Identifier: Apache-2.0
// How long watchers waited, and how evenly: measured from the recording, compared between targets,
// never judged.
//
//   LagMeter meter;                           // Judge(options, &meter) feeds it from a recording
//   meter.Known(revision, at);  meter.Asked(watch, ...);  meter.Delivered(watch, response);
//   meter.FaultLine(text, at);                // a fault was armed or healed
//   const Lag lag = meter.Summary();
//
// The delay of a delivery is the time since the first answer or control-watch event that reported
// its revision. A delivery that comes before both has delay zero. For a revision written before the
// watch was created, the delay runs from the creation; but a watch that resumes another one counts
// from the write. Memory: constant per watch, and one time per revision that is not forgotten. Not
// thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "harness/base/histogram.h"
#include "harness/history/history_parser.h"

namespace watchproof {

// How long after a fault was healed each watcher still received events written before that.
// Watchers without such events are not counted.
struct Recovery {
  std::string fault{};
  Histogram microseconds{};
};

// The target's resident memory under a fault: when that was armed, and while it was.
struct Footprint {
  std::string fault{};
  std::int64_t before = 0;  // bytes
  Histogram bytes{};
};

// How delays went over time, in stretches of equal length since the recording began.
struct LagCourse {
  std::int64_t step_us = 0;  // the length of a stretch; 0: nothing was delivered
  // By stretch:
  std::vector<std::int64_t> events{};     // delivered in it
  std::vector<std::int64_t> p50_us{};     // of their delays
  std::vector<std::int64_t> p99_us{};     // of their delays
  std::vector<std::int64_t> spread_us{};  // the most by which the slowest watch of a stream was
                                          // given a revision later than the fastest one
  std::vector<std::int64_t> waiting{};    // events written and not yet delivered, at its end
};

struct Lag {
  Histogram delivery_us{};       // of each event
  Histogram watcher_p99_us{};    // of each watcher: its 99th percentile
  Histogram stream_spread_us{};  // of each stream: its slowest watcher's less its fastest one's
  Histogram revisions_behind{};  // at each event: how far the store was ahead of it
  std::vector<Recovery> recoveries{};
  std::vector<Footprint> footprints{};  // not from the recording: measured by the driver
  LagCourse course{};
};

// Memory: constant; with longer recordings the stretches become longer. Takes events in any order.
class CourseMeter {
 public:
  // An event for which a watch had waited since then.
  void Delivered(Duration since, Duration at);
  void Spread(Duration spread, Duration at);
  LagCourse Summary() const;

 private:
  struct Stretch {
    Histogram delays_us;
    Duration spread{};
    std::int64_t waiting = 0;  // how many more wait at its end than at its begin
  };
  Stretch& At(Duration at);

  Duration step_ = std::chrono::milliseconds(10);
  std::vector<Stretch> stretches_;
};

class LagMeter {
 public:
  // An answer or a control watch reported the revision.
  void Known(Revision revision, Duration at);
  // The watch resumes another one. Call it before Asked.
  void Continues(StreamId stream, std::uint32_t ordinal) { resumed_[{stream, ordinal}] = true; }
  void Asked(WatchIndex watch, const struct Asked& asked);
  void Delivered(WatchIndex watch, const Response& response);
  // No revision below it will be delivered any more.
  void Forget(Revision below);
  // Lines of the driver: a fault was armed or healed; all were healed.
  void FaultLine(std::string_view text, Duration at);
  void AllHealed(Duration at);

  // Without the course, which takes longer to form.
  Lag Summary() const;
  Lag Whole() const;

 private:
  // A revision that was reported, and how long the fastest watch of each stream waited for it.
  struct KnownRevision {
    Duration at{};
    std::vector<std::pair<StreamId, Duration>> fastest{};
  };
  struct Watch {
    StreamId stream;
    Duration since{};  // it waits for nothing before
    Histogram delays;
    std::vector<Duration> caught_up;  // by heal: the last delivery of something older, after it
  };
  struct Heal {
    std::string fault;
    Duration at{};
  };

  // Null: no answer or control watch has reported it.
  KnownRevision* Find(Revision revision);
  void NoteSpread(KnownRevision& known, StreamId stream, Duration delay, Duration at);
  void NoteCatchUp(Watch& watch, Duration written, Duration at) const;

  std::unordered_map<std::int64_t, KnownRevision> known_;
  Revision latest_asked_{};  // the revision looked up last
  KnownRevision* latest_ = nullptr;
  Revision head_{};
  std::map<std::pair<StreamId, std::uint32_t>, bool> resumed_;
  std::vector<Watch> watches_;
  std::vector<std::string> armed_;
  std::vector<Heal> heals_;
  Histogram delivery_us_;
  Histogram revisions_behind_;
  CourseMeter course_;
};

}  // namespace watchproof
