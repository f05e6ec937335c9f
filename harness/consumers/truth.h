// SPDX-License-Identifier: Apache-2.0
// The history of the store below one prefix, by the acknowledged writes of a recording.
//
//   Truth truth("/registry/events/watched/");
//   truth.Consume(line);           // each of the recording
//   truth.Finish();
//   truth.changes();  truth.KeysAt(revision);
//
// Not thread-safe.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/history/history_parser.h"
#include "harness/model/model.h"

namespace watchproof {

struct TrueChange {
  std::int64_t revision = 0;
  std::string key;
  bool deleted = false;
  Line written;  // where the write began
};

class Truth final : private HistoryVisitor {
 public:
  Truth() : parser_(*this) {}

  void Consume(const NumberedEntry& line);
  // The end of the recording: keeps the changes below the prefix.
  void Finish(const std::string& prefix);

  // In the order of their revisions.
  const std::vector<TrueChange>& changes() const { return changes_; }
  // The first that is of a higher revision; the size if there is none.
  std::size_t After(std::int64_t revision) const;
  // The modification revision of each key.
  std::map<std::string, std::int64_t> KeysAt(std::int64_t revision) const;
  std::int64_t known_through() const { return model_.timeline().known_through().value; }

 private:
  void OnHeader(Revision revision, bool control) override { model_.HeaderSeen(revision, control); }
  void OnControlAsked(const Asked& asked) override {
    model_.ControlAsked(asked.stream, asked.request);
  }
  void OnControlEvents(const Response& response) override;

  Model model_;
  HistoryParser parser_;
  std::vector<TrueChange> changes_;
};

}  // namespace watchproof
