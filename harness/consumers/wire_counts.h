// SPDX-License-Identifier: Apache-2.0
// Counts what passed between a consumer and the store on the streams of its watches.
//
//   WireCounts wire;
//   wire.Consume(line);            // each of the recording
//   wire.counts().at("creates");   // of watches; nothing is counted that did not happen
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "harness/history/history_parser.h"

namespace watchproof {

class WireCounts final : private HistoryVisitor {
 public:
  WireCounts() : parser_(*this) {}

  void Consume(const NumberedEntry& line);
  const std::map<std::string, std::uint64_t>& counts() const { return counts_; }
  Line last_create() const { return last_create_; }

 private:
  void OnAsked(WatchIndex, const Asked& asked) override;
  void OnCancelAsked(WatchIndex, Where) override { ++counts_["cancels"]; }
  void OnRefused(WatchIndex, const Response&) override { ++counts_["refused"]; }
  void OnDelivered(WatchIndex watch, ResponsePtr& response) override;
  void OnProgress(WatchIndex, const Response& response) override;
  void OnStreamProgress(StreamId) override { ++counts_["progress"]; }
  void OnCompacted(WatchIndex, const Response&) override { ++counts_["compacted"]; }
  void OnCancelled(WatchIndex, const Response&) override { ++counts_["cancelled"]; }
  void OnProgressAsked(StreamId, Where) override { ++counts_["progress asked"]; }

  std::set<StreamId> streams_;  // of the consumer
  std::map<std::string, std::uint64_t> counts_;
  Line last_create_;
  HistoryParser parser_;
};

}  // namespace watchproof
