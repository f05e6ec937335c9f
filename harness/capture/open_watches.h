// SPDX-License-Identifier: Apache-2.0
// What is open in a recording, so that another segment can begin with it: the watches, each from
// the place that it has reached, and the calls without an answer.
//
//   OpenWatches open;
//   open.Consume(entry);                                     // every entry, in order
//   if (open.divisible()) restated = open.Restate(now);      // the next segment begins with these
//
// Not thread-safe. Memory: what was opened since the last call of Restate.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/history/entry.h"
#include "harness/history/history_parser.h"
#include "harness/history/wire_writer.h"

namespace watchproof {

class OpenWatches final : public HistoryVisitor {
 public:
  void Consume(const Entry& entry);
  // No watch has received only a part of a response.
  bool divisible() const { return in_parts_ == 0; }
  // The entries that state it again, stamped with the time. A watch is stated as one that begins
  // where it goes on, with the id that it has.
  std::vector<Entry> Restate(Duration at);

 private:
  struct Watch {
    StreamId stream;
    WatchCreate create;
    std::string answer;  // empty: none yet
    Revision resume_at{};
    bool cancelling = false;
    bool in_parts = false;
    bool open = true;
    std::int64_t id = 0;
  };
  struct Stream {
    std::string path;
    bool progress_asked = false;
    std::vector<WatchIndex> watches;
  };

  void OnAsked(WatchIndex watch, const Asked& asked) override;
  void OnCancelAsked(WatchIndex watch, Where where) override;
  void OnCreated(WatchIndex watch, const Response& response) override;
  void OnRefused(WatchIndex watch, const Response& response) override;
  void OnDelivered(WatchIndex watch, ResponsePtr& response) override;
  void OnProgress(WatchIndex watch, const Response& response) override;
  void OnCompacted(WatchIndex watch, const Response& response) override;
  void OnCancelled(WatchIndex watch, const Response& response) override;
  void OnProgressAsked(StreamId stream, Where where) override;
  void End(WatchIndex watch);
  void RestateWatch(const Watch& watch, std::vector<Entry>& out) const;

  std::unique_ptr<HistoryParser> parser_ = std::make_unique<HistoryParser>(*this);
  std::map<std::uint32_t, Stream> streams_;
  std::vector<Watch> watches_;
  std::map<std::uint32_t, Entry> calls_;  // their starts
  int in_parts_ = 0;
};

}  // namespace watchproof
