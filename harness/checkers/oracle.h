// SPDX-License-Identifier: Apache-2.0
// The oracle: a recording in, findings out. It knows nothing of running, and needs neither gRPC nor
// a server: link the target `oracle`.
//
//   WP_ASSIGN_OR_RETURN(const JudgedRecording judged, JudgeFile("history.wire.zst"));
//   for (const Finding& finding : judged.judgement.findings) {
//     fmt::print("{}: {}\n  expected {}\n  observed {}\n", Name(finding.guarantee), finding.watch,
//                finding.expected, finding.observed);
//   }
//   if (!judged.cut_off.empty() || !judged.judgement.undecided.empty()) ... not all was decided ...
//
// A recording that is still being written is judged with checkers/judge.h, line by line. Threads: a
// function without state.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "harness/checkers/judge.h"
#include "harness/model/lag.h"
#include "harness/model/observed.h"

namespace watchproof {

struct JudgedRecording {
  RunStarted started;
  Judgement judgement;
  Lag lag;
  // How much a passive recording shows. Its findings come from two passes over the file.
  std::optional<Coverage> coverage;
  std::size_t watches = 0;
  Line last;
  bool unfinished = false;  // it was cut off, and nothing in it is damaged
  std::string cut_off;      // why it was not judged to its end, from HistoryReader; empty: it was
};

// By every guarantee and the options of the recorded run. A cut-off or damaged recording is judged
// up to the last line that could be verified. Calls `see` with each line. An error if the file is
// not a recording.
Result<JudgedRecording> JudgeFile(const std::filesystem::path& file,
                                  const std::function<void(const NumberedEntry&)>& see = {});

}  // namespace watchproof
