// SPDX-License-Identifier: Apache-2.0
// Which watches and streams of a recording the lines of evidence are about.
//
//   FocusFinder finder(evidence);
//   finder.Consume(line);               // each line, in order
//   const Focus focus = finder.Finish();
//
// Not thread-safe.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "harness/history/history_parser.h"

namespace watchproof {

struct Focus {
  std::vector<WatchIndex> watches;  // at most a few, the closest to it first
  bool gaps = false;                // revisions may be missing from the recording: RunStarted
  std::map<std::uint32_t, std::size_t> creates;  // requests by stream
};

class FocusFinder final : private HistoryVisitor {
 public:
  explicit FocusFinder(const std::vector<std::uint64_t>& evidence)
      : evidence_(evidence.begin(), evidence.end()) {}

  void Consume(const NumberedEntry& line);
  Focus Finish() const;

 private:
  void Meet(WatchIndex watch, Where where, std::vector<WatchIndex>& into) const;
  void Meet(WatchIndex watch, const Response& response) { Meet(watch, response.where, direct_); }

  void OnAsked(WatchIndex watch, const Asked& asked) override;
  void OnCancelAsked(WatchIndex watch, Where where) override { Meet(watch, where, direct_); }
  void OnCreated(WatchIndex watch, const Response& response) override { Meet(watch, response); }
  void OnRefused(WatchIndex watch, const Response& response) override { Meet(watch, response); }
  void OnDelivered(WatchIndex watch, ResponsePtr& response) override { Meet(watch, *response); }
  void OnProgress(WatchIndex watch, const Response& response) override {
    // One answer may cover every watch of the stream.
    Meet(watch, response.where, shared_);
  }
  void OnCompacted(WatchIndex watch, const Response& response) override { Meet(watch, response); }
  void OnCancelled(WatchIndex watch, const Response& response) override { Meet(watch, response); }
  void OnAfterwards(WatchIndex watch, const Response& response) override { Meet(watch, response); }
  void OnAnnotation(const Annotation& annotation, Where where) override;
  void OnStreamEnded(WatchIndex watch, const StreamEnd& end) override {
    Meet(watch, end.where, shared_);
  }

  const std::set<std::uint64_t> evidence_;
  bool gaps_ = false;
  std::vector<StreamId> stream_of_;  // by watch
  std::map<std::pair<std::uint32_t, std::uint32_t>, WatchIndex> by_ordinal_;
  std::vector<WatchIndex> direct_;
  std::vector<WatchIndex> shared_;
  std::vector<WatchIndex> named_;  // by an annotation
  std::set<std::uint32_t> streams_;
  HistoryParser parser_{*this};
};

}  // namespace watchproof
