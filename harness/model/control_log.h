// SPDX-License-Identifier: Apache-2.0
// What the control watches of a recording received, by revision: the second source of truth besides
// the answers to writes.
//
//   ControlLog control;
//   control.Ask(asked.stream, asked.request);  control.Receive(stream, events, owner, line);
//   control.reported() ...                              // the changes received
//   if (control.CoveredSince(range, first, last)) ...   // a change without an event never was
//
// Not thread-safe. Ownership: messages are shared with the recording and kept as long as what they
// report.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "harness/history/recorder.h"
#include "harness/history/wire.h"
#include "harness/model/key_range.h"

namespace watchproof {

// One key at one revision, as an event or an answer showed it.
struct Observation {
  bool deleted = false;
  KeyValueView kv;
  Line line{};
  Bytes owner{};  // what `kv` looks into, where nothing else keeps it
};

class ControlLog {
 public:
  // Only one watch of a stream counts: absent events are evidence only with a known start and one
  // order.
  void Ask(StreamId stream, const WatchCreateView& create);
  void Receive(StreamId stream, const std::vector<EventView>& events, const Bytes& owner,
               Line line);

  const std::map<Revision, std::vector<Observation>>& reported() const { return reported_; }
  // The highest revision that any of them received.
  Revision latest() const { return latest_; }
  void Forget(Revision through) {
    reported_.erase(reported_.begin(), reported_.upper_bound(through));
  }

  // The start of a control watch over the range that received everything in these revisions, and
  // something later; empty if there is none.
  std::optional<Revision> CoveredSince(const KeyRange& range, Revision first, Revision last) const;
  // Whether a control watch covers the whole range: only then an absent event means no change.
  bool Covers(const KeyRange& range) const;
  // Whether a control watch of the key, or any control watch, began at the revision or earlier.
  bool Covers(std::string_view key, Revision revision) const;
  bool AnyAt(Revision revision) const;

 private:
  // That filters out neither kind of change, and has a known start.
  struct Watch {
    StreamId stream;
    KeyRange range;
    Revision start{};
    Revision latest{};  // of its events
  };

  std::vector<Watch> watches_;
  std::map<Revision, std::vector<Observation>> reported_;
  Revision latest_{};
};

}  // namespace watchproof
