// SPDX-License-Identifier: Apache-2.0
// A recording as JSON for people and ordinary tools: all lines, those that concern one watch, or
// only the evidence of a finding.
//
//   WatchFilter filter(StreamId(1), 7);                      // create 7 of stream 1, from 0
//   if (!filter.Concerns(line)) continue;
//   fmt::print("{}\n", DumpLine(line));                      // one JSON document on one line
//   auto excerpts = ExcerptFor(file, {{Line(417), Line(590)}});   // one JSON array per evidence
//
// Keys and values that are not UTF-8 are shown with replacement characters; long values are cut,
// with their full length beside. Threads: any; a filter is not thread-safe.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/status.h"
#include "harness/history/history_parser.h"

namespace watchproof {

std::string DumpLine(const NumberedEntry& line);

// For each list of evidence: those lines, and what the watches in them received shortly before and
// after. Reads the file once.
Result<std::vector<std::string>> ExcerptFor(const std::filesystem::path& file,
                                            const std::vector<std::vector<Line>>& evidence);

// Feed it every line, in order. The beginning and the end of the watch's stream concern it, too.
// Ownership: keeps no message.
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
