// SPDX-License-Identifier: Apache-2.0
// Judges the consumer of a recording: which of its layers is wrong, and which is the lowest.
//
//   ConsumerJudge judge;
//   judge.Consume(line);                  // each of the recording, also while it grows
//   judge.ClaimedBy("cache");             // so far
//   ConsumerJudgement judgement = judge.Finish();
//
// The truth is the history of the store, from its acknowledged writes; what the consumer received
// on the wire is judged as that of any client, by checkers/judge.h. Nothing is found in a recording
// without a consumer. Not thread-safe.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/consumers/layer_checker.h"
#include "harness/consumers/wire_counts.h"

namespace watchproof {

// How often a layer did something, by what: its reports by kind, and what is wrong with them.
// Nothing is counted that did not happen. The layer "wire" is what WireCounts counts.
struct ConsumerCounts {
  std::string layer;
  std::map<std::string, std::uint64_t> counted{};
};

struct ConsumerJudgement {
  std::string consumer;  // empty: there is none in the recording
  std::vector<std::string> layers{};
  // Findings on the lowest layer that is wrong, and on no other.
  std::vector<ConsumerFinding> findings{};
  std::vector<std::string> wrong_above{};  // layers
  std::vector<std::string> undecided{};
  std::vector<ConsumerCounts> counts{};  // from the store up
};

// Whether the word is one of several: "etcd3 reflector".
bool IsAmong(const std::string& word, const std::string& words);

// What a report must have; what is empty may be anything.
struct ReportPattern {
  std::string layers{};  // one of these words
  std::string kind{};    // one of these words
  std::string type{};
  std::string key{};
  std::string error{};  // a part of it
  std::string ToString() const;
};

class ConsumerJudge {
 public:
  void Consume(const NumberedEntry& line);
  // How many reports of the kind a layer has made, of any kind of layer if none is named.
  std::size_t Count(const std::string& kind, const std::string& layer = {}) const;
  // The first report behind the line that has what is asked for; see ReportPattern.
  std::optional<Line> FirstBehind(Line line, const ReportPattern& wanted) const;
  // The highest revision that the layer has claimed.
  std::int64_t ClaimedBy(const std::string& layer) const;
  // The highest revision of its bookmarks.
  std::int64_t NotifiedOf(const std::string& layer) const;
  // Where its client has asked the store for a watch most recently; 0: never.
  Line last_create() const { return wire_.last_create(); }
  const ConsumerStarted& started() const { return started_; }

  ConsumerJudgement Finish();

 private:
  ConsumerCounts CountsOf(const std::string& layer, const LayerChecker& checker) const;

  Truth truth_;
  WireCounts wire_;
  ConsumerStarted started_;
  std::map<std::string, std::vector<SeenReport>> seen_;  // by layer
  std::optional<DuePoint> due_;
  std::optional<ConsumerEnded> ended_;
  bool converged_ = false;
};

}  // namespace watchproof
