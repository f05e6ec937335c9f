// SPDX-License-Identifier: Apache-2.0
// What known bugs bring about, as a recording shows it: the facts that signatures rest on. What is
// wrong is for the checkers to say; here it is only noted of which watches, messages and revisions
// a known bug may be the cause.
//
//   BugTraces traces(table, faults, rewind);
//   traces.Created(watch);              // after the table, all others before it
//   traces.Delivered(watch, response);
//   traces.CallEnded(call);
//
// Not thread-safe. Ownership: refers to what it was made of, and writes to the table.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "harness/checkers/facts.h"

namespace watchproof {

class BugTraces {
 public:
  BugTraces(WatchTable& table, const FaultLog& faults, std::optional<Rewind>& rewind)
      : table_(table), faults_(faults), rewind_(rewind) {}

  void CallStarted(const RecordedCall& call);
  void CallEnded(const RecordedCall& call) {
    EndReader(call);
    FindRewind(call);
  }
  void Created(WatchIndex watch);
  void Delivered(WatchIndex watch, const Response& response);
  void Compacted(WatchIndex watch, const Response& response) {
    FindNoticeOfNamesake(watch, response);
  }
  // Events, by any watch of the recording.
  void SeenBy(const Response& response) { FindRefusedWrite(response); }

 private:
  bool AskedAgain(WatchIndex former, WatchIndex next) const;
  bool MayHaveIdOf(WatchIndex watch, WatchIndex next) const;
  void FindEventsOfFormer(WatchIndex watch, const Response& response);
  void FindEventsOfNext(WatchIndex watch, const Response& response);
  void FindNoticeOfNamesake(WatchIndex watch, const Response& response);
  template <typename Meant>
  void FindCrossed(WatchIndex watch, Meant meant);
  void FindForeignAnswer(WatchIndex watch);
  void FindForeignEvents(WatchIndex watch, const Response& response);
  void FindRewind(const RecordedCall& call);
  void EndReader(const RecordedCall& call);
  void FindRefusedWrite(const Response& response);

  // A transaction that reads the past and writes.
  struct Reader {
    RecordedCall call;
    std::vector<std::vector<Operation>> ways;  // that it may go; they look into the call
    bool refused = false;                      // as out of range
    std::optional<Revision> seen{};            // a watch received what it writes
  };
  void Conclude(const Reader& reader);

  WatchTable& table_;
  const FaultLog& faults_;
  std::optional<Rewind>& rewind_;
  std::map<std::pair<std::uint32_t, std::int64_t>, WatchIndex> named_;  // by stream and id
  std::vector<std::pair<Line, std::int64_t>> compactions_;  // where they began, and their revisions
  std::list<Reader> readers_;                               // those that may have been refused
};

}  // namespace watchproof
