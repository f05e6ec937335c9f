// SPDX-License-Identifier: Apache-2.0
// The standing promises of the API, asked at the end of every attempt of every stream and watch
// that is still open: progress, delivery, new watches of every kind, reads, leases, and at last the
// end of every watch. The recording is judged; nothing is judged here.
//
//   ClosingQuestions questions(context);
//   WP_RETURN_IF_ERROR(questions.Ask());   // every watch has settled before
//
// What the target does not offer is left out, and the recording says so. harness/explore asks the
// same of the store under virtual time. Not thread-safe: the case thread. Ownership: refers to the
// context.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/scenario/step.h"
#include "harness/scenario/step_context.h"

namespace watchproof {

// Puts that lift the head over the start of a watch in the future.
inline constexpr std::int64_t kMostSentinels = 200;

// Upper bounds of what the questions use of the target.
Usage CostOfQuestions();

class ClosingQuestions {
 public:
  explicit ClosingQuestions(StepContext& context) : context_(context) {}

  // An error if a call failed that every target answers.
  Status Ask();

 private:
  // A stream that has not ended, and a range that it has watched.
  struct Living {
    WatchStream* stream;
    std::string key;
    std::string range_end;
    std::set<std::int64_t> ids;  // of all its watches
  };

  std::vector<Living> Streams() const;
  // Null if nothing can be asked on it any more.
  WatchStream* OpenStream(StreamId id) const;
  bool Offers(Capability capability, std::string_view question);
  void Leave(std::string_view question, std::string why);

  void AskForProgress();
  void ReleaseCompacted();
  Status Probe();
  void CreateNew();
  Status CreateAgain();
  Status ReadBack();
  Status ListLeases();
  Status CancelAll();

  void Create(const std::string& group, const Living& on, const WatchCreate& watch);
  void Cancel(const std::function<bool(const WatchState&)>& which);
  void AwaitAnswers();
  Status WriteEach(const std::set<std::string>& keys, bool deleted);
  std::set<std::string> WatchedKeys() const;

  StepContext& context_;
  AttemptSession& session_ = context_.session();
};

}  // namespace watchproof
