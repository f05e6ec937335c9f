// SPDX-License-Identifier: Apache-2.0
// Judges the key-value calls of a recording by revision, beside the watches.
//
//   CallJudge judge;
//   judge.Consume(line);                       // every line; cheap, nothing is judged yet
//   const CallJudgement judgement = judge.Finish();
//
// Every answer names the revision of the state that it came from. Finish brings the calls into the
// order of these revisions and goes through them once, with the state of all keys beside it:
// n log n for n calls, plus what their answers show. The verdict on the watches neither needs nor
// waits for it. Not thread-safe. Memory: the calls and what the witness was told.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "harness/checkers/finding.h"
#include "harness/history/deviations.h"
#include "harness/history/recorder.h"

namespace watchproof {

struct CallJudgeOptions {
  // As of JudgeOptions.
  bool without_metadata = false;
  Deviations deviations = {};
};

struct CallJudgement {
  std::vector<Finding> findings;
  // Answers that were laid beside a known state in every part.
  std::uint64_t judged = 0;
  // What could not be decided, in words. It takes nothing from what was judged.
  std::vector<std::string> undecided;
};

class CallJudge {
 public:
  explicit CallJudge(const CallJudgeOptions& options = {});
  ~CallJudge();

  void Consume(const NumberedEntry& line);
  // The end of the recording.
  CallJudgement Finish();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace watchproof
