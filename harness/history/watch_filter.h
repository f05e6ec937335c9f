// SPDX-License-Identifier: Apache-2.0
// Picks the lines of a recording that speak of one watch.
//
//   WatchFilter filter(StreamId(1), 7);              // create 7 of stream 1, counted from 0
//   if (filter.Concerns(line)) fmt::print("{}\n", DumpLine(line));
//
// Feed it every line, in order. Its stream's beginning and end are among those picked. Not
// thread-safe.
#pragma once

#include <cstdint>
#include <optional>

#include "harness/history/narrator.h"

namespace watchproof {

class WatchFilter final : private Audience {
 public:
  WatchFilter(StreamId stream, std::uint32_t ordinal) : stream_(stream), ordinal_(ordinal) {}

  bool Concerns(const NumberedEntry& line);
  // Whether its create has been seen.
  bool found() const { return wanted_.has_value(); }

 private:
  void Hear(WatchIndex watch) { concerned_ = concerned_ || watch == wanted_; }

  void OnAsked(WatchIndex watch, const Asked& asked) override;
  void OnCancelAsked(WatchIndex watch, Where) override { Hear(watch); }
  void OnCreated(WatchIndex watch, const Response&) override { Hear(watch); }
  void OnRefused(WatchIndex watch, const Response&) override { Hear(watch); }
  void OnDelivered(WatchIndex watch, ResponsePtr&) override { Hear(watch); }
  void OnProgress(WatchIndex watch, const Response&) override { Hear(watch); }
  void OnCompacted(WatchIndex watch, const Response&) override { Hear(watch); }
  void OnCancelled(WatchIndex watch, const Response&) override { Hear(watch); }
  void OnAfterwards(WatchIndex watch, const Response&) override { Hear(watch); }
  void OnAnnotation(const Annotation& annotation, Where where) override;
  void OnStreamEnded(WatchIndex watch, const StreamEnd&) override { Hear(watch); }

  const StreamId stream_;
  const std::uint32_t ordinal_;
  std::optional<WatchIndex> wanted_;
  bool concerned_ = false;
  Narrator narrator_{*this};
};

}  // namespace watchproof
