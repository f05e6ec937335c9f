// SPDX-License-Identifier: Apache-2.0
// Picks the lines of a recording that concern one watch.
//
//   WatchFilter filter(StreamId(1), 7);              // create 7 of stream 1, counted from 0
//   if (filter.Concerns(line)) fmt::print("{}\n", DumpLine(line));
//
// Feed it every line, in order. The beginning and the end of the watch's stream are picked too. Not
// thread-safe. Ownership: keeps no message.
#pragma once

#include <cstdint>
#include <optional>

#include "harness/history/history_parser.h"

namespace watchproof {

class WatchFilter final : private HistoryVisitor {
 public:
  WatchFilter(StreamId stream, std::uint32_t ordinal) : stream_(stream), ordinal_(ordinal) {}

  bool Concerns(const NumberedEntry& line);
  // Whether its create has been seen.
  bool found() const { return wanted_.has_value(); }

 private:
  void Receive(WatchIndex watch) { concerned_ = concerned_ || watch == wanted_; }

  void OnAsked(WatchIndex watch, const Asked& asked) override;
  void OnCancelAsked(WatchIndex watch, Where) override { Receive(watch); }
  void OnCreated(WatchIndex watch, const Response&) override { Receive(watch); }
  void OnRefused(WatchIndex watch, const Response&) override { Receive(watch); }
  void OnDelivered(WatchIndex watch, ResponsePtr&) override { Receive(watch); }
  void OnProgress(WatchIndex watch, const Response&) override { Receive(watch); }
  void OnCompacted(WatchIndex watch, const Response&) override { Receive(watch); }
  void OnCancelled(WatchIndex watch, const Response&) override { Receive(watch); }
  void OnAfterwards(WatchIndex watch, const Response&) override { Receive(watch); }
  void OnAnnotation(const Annotation& annotation, Where where) override;
  void OnStreamEnded(WatchIndex watch, const StreamEnd&) override { Receive(watch); }

  const StreamId stream_;
  const std::uint32_t ordinal_;
  std::optional<WatchIndex> wanted_;
  bool concerned_ = false;
  HistoryParser parser_{*this};
};

}  // namespace watchproof
