// SPDX-License-Identifier: Apache-2.0
// What a step comes upon: a watch, another watch of its stream, and the step. Everything that makes
// a difference is a parameter with few values, so that combinations of them can be counted
// (covering_array.h), asked for (situation_coverage.h) and, here, seen in any script that runs.
//
//   situations.Look();
//   situations.See({.number = 1, .stalled = false}, watches);    // every open stream
//   situations.Meanwhile(step);                                  // the very next one
//   situations.seen();
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/script/covering_array.h"
#include "harness/script/script.h"

namespace watchproof::explore {

// As a client sees a watch.
enum class WatchPhase {
  kFuture,
  kLive,
  kBehind,
  kBelowFloor,
  kCompacted,
  kEnded,
  kRefused,
  kAsked
};
// Where it was asked to start, by what its client knew then.
enum class StartKind { kNow, kPast, kFloor, kBelowFloor, kFuture, kOther };
StartKind KindOfStart(std::int64_t start, std::int64_t floor, std::int64_t head);

enum class RangeKind { kKey, kInterval, kOpen, kEverything, kOther };
enum class FilterKind { kNone, kNoPut, kNoDelete, kBoth };
// Steps of these names.
enum class Action {
  kPut,
  kDelete,
  kTxn,
  kCompact,
  kProgress,
  kCancel,
  kCreate,
  kResume,
  kRevoke,
  kCrash,
  kOther
};

// A value of each parameter; the last ones of kAsked, kOther and kBoth are not in the model.
struct Situation {
  WatchPhase watch = WatchPhase::kLive;
  WatchPhase other = WatchPhase::kLive;
  RangeKind range = RangeKind::kKey;
  StartKind start = StartKind::kNow;
  FilterKind filter = FilterKind::kNone;
  bool prev_kv = false;
  bool fragment = false;
  bool progress = false;
  bool own_id = false;   // chosen by the client
  bool stalled = false;  // the client of the stream
  Action meanwhile = Action::kPut;

  // In the order of the model.
  void Fields(auto field) {
    field(watch);
    field(other);
    field(range);
    field(start);
    field(filter);
    field(prev_kv);
    field(fragment);
    field(progress);
    field(own_id);
    field(stalled);
    field(meanwhile);
  }
};
const Model& SituationModel();
Row ToRow(Situation situation);
Situation ToSituation(const Row& row);

class Situations {
 public:
  struct Stream {
    int number = 1;
    bool stalled = false;
  };
  struct Watch {
    const Create* asked = nullptr;
    StartKind start = StartKind::kNow;
    WatchPhase phase = WatchPhase::kAsked;
  };
  // Forgets what was seen and met no step.
  void Look() { waiting_.clear(); }
  void See(const Stream& stream, const std::vector<Watch>& watches);
  void Meanwhile(const Step& step);

  // Some more than once.
  const std::vector<Row>& seen() const { return seen_; }

 private:
  struct Waiting {
    int stream;
    Situation situation;  // but for what happens meanwhile
  };
  std::vector<Waiting> waiting_;
  std::vector<Row> seen_;
};

}  // namespace watchproof::explore
