// SPDX-License-Identifier: Apache-2.0
// Judges the key-value calls of a recording by revision, independently of the watches.
//
//   CallJudge judge;
//   judge.Consume(line);                       // every line; cheap, nothing is judged yet
//   const CallJudgement judgement = judge.Finish();
//
// Every answer names the revision of the state that it came from. Finish sorts the calls by these
// revisions and goes through them once, while it maintains the state of all keys: n log n for n
// calls, plus the size of their answers. The verdict on the watches does not depend on it. Not
// thread-safe. Memory: the calls and the events of the control watch.
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
  // Answers that were compared with a known state in every part.
  std::uint64_t judged = 0;
  // What could not be decided, in words. It does not weaken the findings.
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
