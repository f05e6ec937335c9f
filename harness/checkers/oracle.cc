// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/oracle.h"

#include <optional>

#include "harness/history/reader.h"

namespace watchproof {

Result<JudgedRecording> JudgeFile(const std::filesystem::path& file,
                                  const std::function<void(const NumberedEntry&)>& see) {
  WP_ASSIGN_OR_RETURN(const auto reader, HistoryReader::Open(file));
  JudgedRecording judged;
  LagMeter lag;
  std::optional<Judge> judge;
  while (true) {
    WP_ASSIGN_OR_RETURN(const std::optional<NumberedEntry> line, reader->Next());
    if (!line) break;
    if (!judge) {
      if (line->entry.kind == EntryKind::kRunStarted) {
        WP_ASSIGN_OR_RETURN(judged.started, ParseRunStarted(line->entry.text));
      }
      judge.emplace(OptionsOf(judged.started), &lag);
    }
    judge->Consume(*line);
    if (see) see(*line);
    judged.last = line->line;
  }
  judged.cut_off = reader->damage();
  if (!judge) judge.emplace(JudgeOptions{});
  judged.judgement = judge->Finish(judged.cut_off.empty() ? Ending::kWhole : Ending::kCutOff);
  judged.watches = judge->watches().size();
  judged.lag = lag.Summary();
  return judged;
}

}  // namespace watchproof
