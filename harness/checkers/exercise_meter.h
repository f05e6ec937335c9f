// SPDX-License-Identifier: Apache-2.0
// Counts an Exercise while a recording is judged. It makes no findings.
//
// Not thread-safe.
#pragma once

#include "harness/checkers/checker.h"
#include "harness/checkers/exercise.h"

namespace watchproof {

class ExerciseMeter final : public Checker {
 public:
  using Checker::Checker;

  void Answered(WatchIndex watch, const Response& response, Findings& findings) override;
  void Compared(WatchIndex watch, const Response& response, const std::vector<Comparison>& compared,
                Findings& findings) override;
  void Delivered(WatchIndex watch, const Response& response, Findings& findings) override;
  void Progress(WatchIndex watch, const Response& response, Findings& findings) override;
  void Compacted(WatchIndex watch, const Response& response, Findings& findings) override;
  void Annotated(const Annotation& annotation, Where where, Findings& findings) override;
  void Finish(WatchIndex watch, Findings& findings) override;

  const Exercise& exercise() const { return exercise_; }

 private:
  void Add(Guarantee guarantee, std::uint64_t count = 1);

  Exercise exercise_;
  std::vector<std::uint64_t> delivered_;            // by watch
  std::map<std::uint32_t, std::uint64_t> creates_;  // by stream
  std::set<std::uint32_t> progress_due_;            // streams
};

}  // namespace watchproof
