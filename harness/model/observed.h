// SPDX-License-Identifier: Apache-2.0
// What a passive recording shows of a store's changes, whoever made them: those that acknowledged
// writes name, and those that any watch received.
//
//   Observed observed;
//   observed.Consume(line);                    // every line, in order: the first of two passes
//   Model model(observed);                     // the second one judges each watch by all of this
//
// A change that is seen nowhere may have been made all the same, so it is no proof that a change is
// missing here. Of two accounts of a change that of an acknowledged write counts, then the first.
// A delete of a range names no keys; only its events do.
//
// Not thread-safe. Memory: every change until the end, once.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/history/history_parser.h"
#include "harness/model/calls.h"
#include "harness/model/timeline.h"

namespace watchproof {

// How much there was to see. The judge's findings do not depend on it.
struct Coverage {
  std::uint64_t watches = 0;
  std::uint64_t restated = 0;   // of these, with a part before the recording
  std::uint64_t events = 0;     // to all watches
  std::uint64_t notices = 0;    // ErrCompacted, likewise
  std::uint64_t progress = 0;   // answers, likewise
  std::uint64_t changes = 0;    // different ones
  std::uint64_t confirmed = 0;  // of these, by another watch or an acknowledged write
  std::uint64_t writes = 0;     // acknowledged, with a change
  std::uint64_t compactions = 0;
  std::uint64_t control_watches = 0;  // that the proxy made; more than one: it was interrupted
  std::uint64_t control_events = 0;
  std::set<std::uint64_t> clusters{};  // by the headers
  std::vector<NotRecorded> lost{};
};

class Observed final : HistoryVisitor {
 public:
  struct AtRevision {
    std::vector<Change> changes;
    std::vector<Bytes> owners;  // of what they look into
  };

  void Consume(const NumberedEntry& line);

  const std::map<Revision, AtRevision>& revisions() const { return revisions_; }
  const Coverage& coverage() const { return coverage_; }

 private:
  void OnAsked(WatchIndex watch, const Asked& asked) override;
  void OnCreated(WatchIndex watch, const Response& response) override;
  void OnDelivered(WatchIndex watch, ResponsePtr& response) override;
  void OnCompacted(WatchIndex watch, const Response& response) override;
  void OnProgress(WatchIndex watch, const Response& response) override;
  void OnAnnotation(const Annotation& annotation, Where where) override;
  void EndCall(const RecordedCall& call);
  void TakeWrite(const RecordedCall& call, const Operation& operation, Revision revision);
  // Its place, after it was added if it was not seen before.
  struct Place {
    Change& change;
    bool is_new = false;
  };
  Place At(Revision revision, std::string_view key, const Bytes& owner);

  HistoryParser parser_{*this};
  CallLog calls_{CallLog::Keep::kOpen};
  std::map<Revision, AtRevision> revisions_;
  std::set<std::uint32_t> own_streams_;
  std::vector<bool> own_watches_;  // by watch
  Line restated_through_{};
  Coverage coverage_;
};

}  // namespace watchproof
